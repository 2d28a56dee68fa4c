#include "pipeline/intake/feed.hpp"

#include <algorithm>
#include <numeric>

namespace shardmill::pipeline {

namespace {

std::vector<deal::Mixer::Stream> mixed(const std::vector<InputStream>& inputs) {
  std::vector<deal::Mixer::Stream> streams;
  for (const InputStream& input : inputs) streams.push_back({.total_bytes = input.bytes()});
  return streams;
}

}  // namespace

std::uint64_t InputStream::bytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const source::SourceFile& file) { return sum + file.bytes; });
}

std::uint64_t Inputs::bytes() const {
  return std::accumulate(streams.begin(), streams.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const InputStream& stream) { return sum + stream.bytes(); });
}

std::uint64_t Inputs::files() const {
  return std::accumulate(
      streams.begin(), streams.end(), std::uint64_t{0},
      [](std::uint64_t sum, const InputStream& stream) { return sum + stream.files.size(); });
}

InputAmount amount_of(const Inputs& inputs, std::uint32_t dataset) {
  InputAmount amount;
  for (const InputStream& stream : inputs.streams) {
    if (std::find(stream.datasets.begin(), stream.datasets.end(), dataset) == stream.datasets.end()) continue;
    amount.bytes += stream.bytes();
    amount.files += stream.files.size();
  }
  return amount;
}

Feed::Feed(const std::vector<InputStream>& streams, shard::KeyRule rule)
    : streams_(streams),
      rule_(rule),
      mixer_(mixed(streams)),
      next_files_(streams.size(), 0),
      open_(streams.size()) {
  // A part of a run may have nothing of a stream.
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].files.empty()) mixer_.finish(i);
  }
}

std::shared_ptr<OpenSource> Feed::open(std::uint32_t stream, const SourceRestart& from, Unit& failed) {
  const std::size_t file = next_files_[stream]++;
  const source::SourceFile& what = streams_[stream].files[file];
  auto source = std::make_shared<OpenSource>(stream, file, what, rule_, from);
  try {
    source->reader = open_source(what, from);
  } catch (const Error& error) {
    failed.damage = error;
    failed.last = true;
  }
  return source;
}

std::optional<Feed::Item> Feed::next() {
  const auto next = mixer_.next();
  if (!next) {
    done_ = true;
    return std::nullopt;
  }
  const auto stream = static_cast<std::uint32_t>(*next);
  Item item;
  if (!open_[stream]) open_[stream] = open(stream, {}, item.unit);
  item.source = open_[stream];
  if (item.source->reader) item.unit = item.source->reader->next();
  mixer_.consumed(stream, item.unit.compressed_bytes);
  item.consumed_bytes = mixer_.streams()[stream].consumed_bytes;
  if (item.unit.last) {
    open_[stream].reset();
    if (next_files_[stream] == streams_[stream].files.size()) mixer_.finish(stream);
  }
  return item;
}

std::vector<StreamPosition> Feed::positions() const {
  std::vector<StreamPosition> positions;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    StreamPosition position{.next_file = next_files_[i],
                            .consumed_bytes = mixer_.streams()[i].consumed_bytes};
    if (open_[i]) {
      position.is_open = true;
      position.units = open_[i]->parser.units();
      position.offset = open_[i]->parser.offset();
      position.restart = open_[i]->parser.restart();
    }
    positions.push_back(position);
  }
  return positions;
}

std::vector<std::shared_ptr<OpenSource>> Feed::restore(const std::vector<StreamPosition>& positions) {
  std::vector<std::shared_ptr<OpenSource>> to_read_again;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    const StreamPosition& position = positions[i];
    mixer_.consumed(i, position.consumed_bytes);
    next_files_[i] = position.next_file;
    if (position.is_open) {
      --next_files_[i];
      Unit failed;
      open_[i] = open(i, position.restart, failed);
      if (failed.damage) throw *failed.damage;
      to_read_again.push_back(open_[i]);
    } else if (position.next_file == streams_[i].files.size()) {
      mixer_.finish(i);
    }
  }
  return to_read_again;
}

}  // namespace shardmill::pipeline
