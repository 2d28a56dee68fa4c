#include "pipeline/part_state.hpp"

#include <span>
#include <utility>

#include "base/io/binary_fields.hpp"
#include "base/io/folder.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/placing/admission.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

template <base::Either<PackedShard> Record>
void describe(auto& fields, Record& shard) {
  fields(shard.path, shard.bytes, shard.sha256);
}

template <base::Either<CompletePart> Record>
void describe(auto& fields, Record& part) {
  fields(part.shards, part.tar_bytes, part.manifest_checks);
}

namespace {

std::string complete_path(const std::string& work_folder) {
  return work_folder + "/complete";
}

/// The body of a journal that must belong to this run.
std::optional<Bytes> read_body(const std::string& path, const std::string& fingerprint) {
  auto journal = read_journal(path);
  if (!journal) return std::nullopt;
  if (journal->fingerprint != fingerprint) {
    throw Error("belongs to a run with other options or sources", at(path), Remedy::start_over);
  }
  return std::move(journal->body);
}

}  // namespace

std::optional<PartState> read_part_state(const std::string& work_folder) {
  auto journal = read_journal(journal_path(work_folder));
  if (!journal) return std::nullopt;
  base::BinaryReader in(journal->body);
  PartState state;
  state.fingerprint = std::move(journal->fingerprint);
  state.mill = read_mill_state(in);
  state.admission = read_admission_state(in);
  return state;
}

void check_logs(const std::string& work_folder, const PartState& state) {
  check_file(key_log_path(work_folder), state.admission.key_log);
  check_file(reject_log_path(work_folder), state.admission.reject_log);
}

deal::RestDeal deal_held(const std::vector<PartState>& parts) {
  const std::size_t datasets = parts.front().mill.dealer.datasets.size();
  std::vector<std::vector<deal::Holding>> dealt(datasets);
  std::vector<deal::HeldSample> held;
  for (const PartState& part : parts) {
    for (std::size_t d = 0; d < datasets; ++d) {
      const auto& shards = part.mill.dealer.datasets[d].shards;
      dealt[d].insert(dealt[d].end(), shards.begin(), shards.end());
    }
    for (const HeldStore::Entry& entry : part.mill.held) held.push_back(entry.sample);
  }
  const std::vector<std::span<const deal::Holding>> views(dealt.begin(), dealt.end());
  return deal::deal_evenly(views, held);
}

HeldShards by_part(const std::vector<PartState>& parts, const deal::RestDeal& dealt) {
  HeldShards shards;
  auto next = dealt.placed.begin();
  for (const PartState& part : parts) {
    std::vector<std::uint32_t>& of_part = shards.emplace_back();
    for (std::size_t i = 0; i < part.mill.held.size(); ++i) of_part.push_back((next++)->shard);
  }
  return shards;
}

void write_given_back(const std::string& path, const std::string& fingerprint, std::uint64_t samples) {
  base::BinaryWriter out;
  out.put(samples);
  write_journal(path, {.fingerprint = fingerprint, .body = out.take()});
}

std::uint64_t read_given_back(const std::string& path, const std::string& fingerprint) {
  const auto body = read_body(path, fingerprint);
  return body ? base::BinaryReader(*body).number() : 0;
}

void write_held_shards(const std::string& path, const std::string& fingerprint, const HeldShards& shards) {
  base::BinaryWriter out;
  base::put_fields(out, shards);
  write_journal(path, {.fingerprint = fingerprint, .body = out.take()});
}

std::optional<HeldShards> read_held_shards(const std::string& path, const std::string& fingerprint) {
  const auto body = read_body(path, fingerprint);
  if (!body) return std::nullopt;
  base::BinaryReader in(*body);
  return base::read_fields<HeldShards>(in);
}

void write_complete_part(const std::string& work_folder, const std::string& fingerprint,
                         const CompletePart& part) {
  base::BinaryWriter out;
  base::put_fields(out, part);
  write_journal(complete_path(work_folder), {.fingerprint = fingerprint, .body = out.take()});
}

std::optional<CompletePart> read_complete_part(const std::string& work_folder,
                                               const std::string& fingerprint) {
  const auto body = read_body(complete_path(work_folder), fingerprint);
  if (!body) return std::nullopt;
  base::BinaryReader in(*body);
  return base::read_fields<CompletePart>(in);
}

std::optional<SharedKey> find_shared_key(const std::vector<std::string>& work_folders) {
  shard::KeySet keys;
  std::vector<base::Xxh128> chunk(4096);
  for (std::size_t part = 0; part < work_folders.size(); ++part) {
    base::File file = base::File::open_read(key_log_path(work_folders[part]));
    for (std::size_t got = chunk.size(); got == chunk.size();) {
      got = file.read(std::as_writable_bytes(std::span(chunk))) / sizeof(base::Xxh128);
      for (std::size_t i = 0; i < got; ++i) {
        if (!keys.insert(chunk[i])) return SharedKey{.hash = chunk[i], .part = part};
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> key_of_hash(const std::string& work_folder, const base::Xxh128& hash) {
  const auto state = read_part_state(work_folder);
  if (!state) return std::nullopt;
  const auto is_it = [&](const std::string& key) { return base::xxh3_128(base::as_bytes(key)) == hash; };
  manifest::SampleRecord record;
  for (std::uint32_t shard = 0; shard < state->mill.spools.size(); ++shard) {
    const std::string path = spooled_manifest_path(work_folder + "/spool", shard);
    if (!base::exists(path)) continue;
    for (manifest::RecordReader reader(path); reader.next(record);) {
      if (is_it(record.key)) return record.key;
    }
  }
  const HeldStore held = HeldStore::open_read(held_path(work_folder));
  for (const HeldStore::Entry& entry : state->mill.held) {
    const std::string key = held.read(entry).record.key;
    if (is_it(key)) return key;
  }
  return std::nullopt;
}

}  // namespace shardmill::pipeline
