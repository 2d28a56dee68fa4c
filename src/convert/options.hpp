// What convert is asked to do, and what became of each shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codec/codec.hpp"

namespace shardmill::convert {

struct ConvertOptions {
  std::vector<std::string> shards;
  std::string out_folder;
  codec::Codec codec = codec::Codec::none;
  std::optional<int> level;
  bool seekable = false;
  bool force = false;  // convert even where an up-to-date result exists
  bool ignore_free_space = false;
  bool ignore_trailing = false;  // ignore bytes after the last compressed stream
};

struct ConvertedShard {
  enum class Outcome { converted, up_to_date, failed };

  std::string source;
  std::string result;
  Outcome outcome = Outcome::failed;
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t result_bytes = 0;
  std::string problem;  // why it failed
};

struct ConvertSummary {
  std::vector<ConvertedShard> shards;  // in the order given
  double seconds = 0;

  std::size_t count(ConvertedShard::Outcome outcome) const;
};

}  // namespace shardmill::convert
