// pack: turns a sample into its bytes in a shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace shardmill::shard
