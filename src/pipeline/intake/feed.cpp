#include "pipeline/intake/feed.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "pipeline/source_item.hpp"
#include "source/archive_entries.hpp"

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

std::size_t lanes_of_each(std::uint32_t interleave, std::size_t streams) {
  constexpr std::size_t kMostOpen = 64;
  const std::size_t most = std::max<std::size_t>(interleave, kMostOpen);
  return std::max<std::size_t>(1,
                               std::min<std::size_t>(interleave, most / std::max<std::size_t>(1, streams)));
}

std::vector<std::vector<std::size_t>> files_of_lanes(const std::vector<source::SourceFile>& files,
                                                     std::size_t lanes) {
  std::vector<std::vector<std::size_t>> divided(std::min(lanes, files.size()));
  std::vector<std::uint64_t> bytes(divided.size(), 0);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto least = std::min_element(bytes.begin(), bytes.end());
    *least += files[i].bytes;
    divided[static_cast<std::size_t>(least - bytes.begin())].push_back(i);
  }
  return divided;
}

Feed::Feed(const std::vector<InputStream>& streams, std::uint32_t interleave, shard::KeyRule rule,
           source::OtherThreads* threads, shard::MemberStorage storage)
    : inputs_(streams),
      rule_(rule),
      threads_(threads),
      storage_(std::move(storage)),
      counts_late_(interleave == 1),
      mixer_(mixed(streams)) {
  const std::size_t lanes = lanes_of_each(interleave, streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams_.push_back(divided(streams[i], lanes));
    if (streams[i].files.empty()) mixer_.finish(i);  // one part of a run may have no files of a stream
  }
}

Feed::Stream Feed::divided(const InputStream& input, std::size_t lanes) {
  std::vector<Lane> all;
  std::vector<deal::Mixer::Stream> sizes;
  for (std::vector<std::size_t>& files : files_of_lanes(input.files, lanes)) {
    if (files.empty()) continue;  // more lanes than files that hold something
    std::uint64_t bytes = 0;
    for (const std::size_t file : files) bytes += input.files[file].bytes;
    sizes.push_back({.total_bytes = bytes});
    all.push_back({.files = std::move(files)});
  }
  return {.lanes = std::move(all), .mixer = deal::Mixer(std::move(sizes))};
}

std::shared_ptr<OpenSource> Feed::open(std::uint32_t stream, Lane& lane, const SourceRestart& from,
                                       Unit& failed) {
  const std::size_t file = lane.files[lane.next_file++];
  const source::SourceFile& what = inputs_[stream].files[file];
  auto source = std::make_shared<OpenSource>(stream, file, what, rule_, from, storage_);
  try {
    source->reader = open_source(what, from, threads_);
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
  const auto number = static_cast<std::uint32_t>(*next);
  Stream& stream = streams_[number];
  const std::size_t lane_number = stream.mixer.next().value();
  Lane& lane = stream.lanes[lane_number];
  Item item;
  if (!lane.open) lane.open = open(number, lane, {}, item.unit);
  item.source = lane.open;
  if (item.source->reader) item.unit = item.source->reader->next();
  const std::uint64_t bytes =
      counts_late_ ? counted_bytes(item.unit, lane.late_bytes) : item.unit.compressed_bytes;
  stream.mixer.consumed(lane_number, bytes);
  mixer_.consumed(number, bytes);
  item.consumed_bytes = mixer_.streams()[number].consumed_bytes;
  if (item.unit.last) {
    lane.open.reset();
    if (lane.next_file == lane.files.size()) finish(number, lane_number);
  }
  return item;
}

void Feed::finish(std::size_t stream, std::size_t lane) {
  streams_[stream].mixer.finish(lane);
  if (!streams_[stream].mixer.next()) mixer_.finish(stream);
}

std::vector<StreamPosition> Feed::positions() const {
  std::vector<StreamPosition> positions;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    StreamPosition position{.lanes = {}, .consumed_bytes = mixer_.streams()[i].consumed_bytes};
    for (std::size_t j = 0; j < streams_[i].lanes.size(); ++j) {
      const Lane& lane = streams_[i].lanes[j];
      LanePosition here{.next_file = lane.next_file,
                        .consumed_bytes = streams_[i].mixer.streams()[j].consumed_bytes,
                        .late_bytes = lane.late_bytes};
      if (lane.open) {
        here.is_open = true;
        here.units = lane.open->parser.units();
        here.offset = lane.open->parser.offset();
        here.restart = lane.open->parser.restart();
      }
      position.lanes.push_back(std::move(here));
    }
    positions.push_back(std::move(position));
  }
  return positions;
}

std::vector<ReopenedSource> Feed::restore(const std::vector<StreamPosition>& positions) {
  std::vector<ReopenedSource> reopened;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    mixer_.consumed(i, positions[i].consumed_bytes);
    for (std::size_t j = 0; j < positions[i].lanes.size(); ++j) {
      const LanePosition& position = positions[i].lanes[j];
      Lane& lane = streams_[i].lanes[j];
      streams_[i].mixer.consumed(j, position.consumed_bytes);
      lane.next_file = position.next_file;
      lane.late_bytes = position.late_bytes;
      if (position.is_open) {
        --lane.next_file;
        Unit failed;
        lane.open = open(i, lane, position.restart, failed);
        if (failed.damage) throw *failed.damage;
        reopened.push_back({.source = lane.open, .position = position});
      } else if (lane.next_file == lane.files.size()) {
        finish(i, j);
      }
    }
  }
  return reopened;
}

shard::MemberStorage member_storage(std::uint64_t memory_bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  constexpr std::uint64_t kMostOpen = 64;  // files, see lanes_of_each()
  const auto space = std::make_shared<source::ScratchSpace>(std::numeric_limits<std::uint64_t>::max());
  return {.in_memory_bytes = std::clamp(memory_bytes / kMostOpen, kMiB, 8 * kMiB),
          .most_bytes = kMemberLimitBytes,
          .file = [space](std::uint64_t bytes) {
            try {
              space->check_free_space(bytes);
              return space->file();
            } catch (const Error& error) {
              throw FatalError(
                  Error(error.problem(), error.where(), "set TMPDIR to a folder where files can be made"));
            }
          }};
}

}  // namespace shardmill::pipeline
