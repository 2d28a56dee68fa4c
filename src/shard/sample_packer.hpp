// pack: turns a sample into its bytes in a shard. ShardTally: counts the samples and the audio of a shard as
// it grows.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/dataset_record.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::shard {

struct SampleParts {
  std::string_view key;                                  // from safe_key(), and unique
  std::optional<std::span<const std::byte>> transcript;  // none: no KEY.txt is written
  std::string_view audio_extension;
  std::span<const std::byte> audio;
  std::span<const Member> extras;  // written after the audio, in the order of their extensions
};

struct PackedSample {
  Bytes bytes;                     // whole blocks, which can be appended to a shard
  std::string audio_name;          // name of the audio member
  std::uint64_t audio_offset = 0;  // of the audio bytes within `bytes`
};

/// Depends only on its arguments. Thread-safe.
PackedSample pack(const SampleParts& parts);

/// The same members with another key, which must be safe and unique, too.
PackedSample repack(const PackedSample& packed, std::string_view key);

struct ShardTally {
  struct Share {
    std::uint64_t samples = 0;
    std::chrono::nanoseconds duration{};
  };

  std::vector<Share> datasets;
  std::uint64_t with_text = 0;  // samples with a transcript
  std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
  std::chrono::nanoseconds longest{};

  void add(std::uint32_t dataset, std::chrono::nanoseconds duration, bool has_text) {
    with_text += has_text ? 1 : 0;
    datasets[dataset].samples += 1;
    datasets[dataset].duration += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
  }
  std::uint64_t samples() const {
    std::uint64_t sum = 0;
    for (const Share& share : datasets) sum += share.samples;
    return sum;
  }
  std::chrono::nanoseconds duration() const {
    std::chrono::nanoseconds sum{};
    for (const Share& share : datasets) sum += share.duration;
    return sum;
  }
};

/// The duration in the form of records.
double seconds(std::chrono::nanoseconds duration);

/// `tallies` must not be empty.
manifest::DatasetRecord::Balance balance_of(const std::vector<ShardTally>& tallies);

}  // namespace shardmill::shard
