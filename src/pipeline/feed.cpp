#include "shardmill/pipeline/feed.hpp"

#include <numeric>

namespace shardmill::pipeline {

namespace {

std::vector<deal::Mixer::Stream> streams_of(const std::vector<DatasetInput>& datasets) {
  std::vector<deal::Mixer::Stream> streams;
  for (const DatasetInput& dataset : datasets) streams.push_back({.total_bytes = dataset.bytes()});
  return streams;
}

}  // namespace

std::uint64_t DatasetInput::bytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const source::SourceFile& file) { return sum + file.bytes; });
}

Feed::Feed(const std::vector<DatasetInput>& datasets, shard::KeyRule rule)
    : datasets_(datasets),
      rule_(rule),
      mixer_(streams_of(datasets)),
      next_files_(datasets.size(), 0),
      open_(datasets.size()) {
  // A part of a run may have nothing of a dataset.
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i].files.empty()) mixer_.finish(i);
  }
}

std::shared_ptr<OpenSource> Feed::open(std::uint32_t dataset, const SourceRestart& from, Unit& failed) {
  const std::size_t file = next_files_[dataset]++;
  const source::SourceFile& what = datasets_[dataset].files[file];
  auto source = std::make_shared<OpenSource>(dataset, file, what, rule_, from);
  try {
    source->reader = open_source(what, from);
  } catch (const Error& error) {
    failed.damage = error;
    failed.last = true;
  }
  return source;
}

std::optional<Feed::Item> Feed::next() {
  const auto stream = mixer_.next();
  if (!stream) {
    done_ = true;
    return std::nullopt;
  }
  const auto dataset = static_cast<std::uint32_t>(*stream);
  Item item;
  if (!open_[dataset]) open_[dataset] = open(dataset, {}, item.unit);
  item.source = open_[dataset];
  if (item.source->reader) item.unit = item.source->reader->next();
  mixer_.consumed(dataset, item.unit.compressed_bytes);
  item.consumed_bytes = mixer_.streams()[dataset].consumed_bytes;
  if (item.unit.last) {
    open_[dataset].reset();
    if (next_files_[dataset] == datasets_[dataset].files.size()) mixer_.finish(dataset);
  }
  return item;
}

std::vector<DatasetPosition> Feed::positions() const {
  std::vector<DatasetPosition> positions;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    DatasetPosition position{.next_file = next_files_[i],
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

std::vector<std::shared_ptr<OpenSource>> Feed::restore(const std::vector<DatasetPosition>& positions) {
  std::vector<std::shared_ptr<OpenSource>> to_read_again;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    const DatasetPosition& position = positions[i];
    mixer_.consumed(i, position.consumed_bytes);
    next_files_[i] = position.next_file;
    if (position.is_open) {
      --next_files_[i];
      Unit failed;
      open_[i] = open(i, position.restart, failed);
      if (failed.damage) throw *failed.damage;
      to_read_again.push_back(open_[i]);
    } else if (position.next_file == datasets_[i].files.size()) {
      mixer_.finish(i);
    }
  }
  return to_read_again;
}

}  // namespace shardmill::pipeline
