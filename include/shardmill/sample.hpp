// Member and Sample: the contents of a shard, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill {

using Bytes = std::vector<std::byte>;

/// One file inside a tar.
struct Member {
  std::string name;              // as in the tar
  std::string extension;         // the name after the dot that ends the key, in lower case
  std::uint64_t tar_offset = 0;  // of its bytes, in the uncompressed tar
  Bytes bytes;
};

/// The members that share a key, usually a transcript and its audio.
struct Sample {
  std::string key;
  std::vector<Member> members;  // in the order of the tar

  /// The first member with this extension, or null.
  const Member* find(std::string_view extension) const noexcept;
};

}  // namespace shardmill
