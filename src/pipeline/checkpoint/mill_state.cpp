#include "pipeline/checkpoint/mill_state.hpp"

#include <algorithm>

namespace shardmill::pipeline {

namespace {

void put(base::BinaryWriter& out, const SourceRestart& restart) {
  out.put(restart.units);
  out.put(std::span<const std::byte>(restart.piece));
  out.put(restart.unit_offset);
  out.put(restart.sample_offset);
  out.put(restart.shape);
}

SourceRestart read_restart(base::BinaryReader& in) {
  SourceRestart restart;
  restart.units = in.number();
  const auto piece = in.bytes();
  restart.piece.assign(piece.begin(), piece.end());
  restart.unit_offset = in.number();
  restart.sample_offset = in.number();
  restart.shape = in.text();
  return restart;
}

void put(base::BinaryWriter& out, const StreamPosition& position) {
  out.put(position.next_file);
  out.put(position.is_open ? 1 : 0);
  out.put(position.units);
  out.put(position.offset);
  put(out, position.restart);
  out.put(position.consumed_bytes);
}

StreamPosition read_position(base::BinaryReader& in) {
  StreamPosition position;
  position.next_file = in.number();
  position.is_open = in.number() != 0;
  position.units = in.number();
  position.offset = in.number();
  position.restart = read_restart(in);
  position.consumed_bytes = in.number();
  return position;
}

void put(base::BinaryWriter& out, const ShardTally& tally) {
  out.put(tally.datasets.size());
  for (const ShardTally::Share& share : tally.datasets) {
    out.put(share.samples);
    out.put_signed(share.duration.count());
  }
  out.put(tally.with_text);
  out.put_signed(tally.shortest.count());
  out.put_signed(tally.longest.count());
}

ShardTally read_tally(base::BinaryReader& in) {
  ShardTally tally;
  tally.datasets.resize(in.number());
  for (ShardTally::Share& share : tally.datasets) {
    share.samples = in.number();
    share.duration = std::chrono::nanoseconds(in.signed_number());
  }
  tally.with_text = in.number();
  tally.shortest = std::chrono::nanoseconds(in.signed_number());
  tally.longest = std::chrono::nanoseconds(in.signed_number());
  return tally;
}

void put(base::BinaryWriter& out, const SpoolState& state) {
  out.put(state.tar_bytes);
  out.put(state.manifest_bytes);
  out.put(std::span<const std::byte>(state.tar_hash));
  out.put(state.is_hashed ? 1 : 0);
  out.put(state.tar_check);
  out.put(state.manifest_check);
}

SpoolState read_spool_state(base::BinaryReader& in) {
  SpoolState state;
  state.tar_bytes = in.number();
  state.manifest_bytes = in.number();
  const auto hash = in.bytes();
  if (hash.size() != state.tar_hash.size()) throw Error("journal holds a hash of another size");
  std::copy(hash.begin(), hash.end(), state.tar_hash.begin());
  state.is_hashed = in.number() != 0;
  state.tar_check = in.number();
  state.manifest_check = in.number();
  return state;
}

void put(base::BinaryWriter& out, const HeldStore::Entry& entry) {
  out.put(entry.sample.dataset);
  out.put_signed(entry.sample.duration.count());
  out.put(entry.offset);
  out.put(entry.bytes);
}

HeldStore::Entry read_held(base::BinaryReader& in) {
  HeldStore::Entry entry;
  entry.sample.dataset = static_cast<std::uint32_t>(in.number());
  entry.sample.duration = std::chrono::nanoseconds(in.signed_number());
  entry.offset = in.number();
  entry.bytes = in.number();
  return entry;
}

template <typename Value>
void put_all(base::BinaryWriter& out, const std::vector<Value>& values) {
  out.put(values.size());
  for (const Value& value : values) put(out, value);
}

template <typename Value>
std::vector<Value> read_all(base::BinaryReader& in, Value (*read_one)(base::BinaryReader&)) {
  std::vector<Value> values;
  for (std::uint64_t left = in.number(); left > 0; --left) values.push_back(read_one(in));
  return values;
}

}  // namespace

void put(base::BinaryWriter& out, const MillState& state) {
  out.put(state.all_read ? 1 : 0);
  out.put(state.all_dealt ? 1 : 0);
  put_all(out, state.positions);
  put_all(out, state.spools);
  put_all(out, state.tallies);
  put_all(out, state.held);
  out.put(state.given_back);
}

MillState read_mill_state(base::BinaryReader& in) {
  MillState state;
  state.all_read = in.number() != 0;
  state.all_dealt = in.number() != 0;
  state.positions = read_all(in, read_position);
  state.spools = read_all(in, read_spool_state);
  state.tallies = read_all(in, read_tally);
  state.held = read_all(in, read_held);
  state.given_back = in.number();
  return state;
}

}  // namespace shardmill::pipeline
