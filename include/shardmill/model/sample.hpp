// Member and Sample: what a shard holds, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardmill {

using Bytes = std::vector<std::byte>;

/// One file inside a tar.
struct Member {
  std::string name;              // as it stands in the tar
  std::string extension;         // behind the dot that ends the key; lower case
  std::uint64_t tar_offset = 0;  // of its bytes, in the uncompressed tar
  Bytes bytes;
};

/// The members that share a key.
struct Sample {
  std::string key;              // by the key rule, as found: not yet made safe
  std::vector<Member> members;  // in the order they were found
};

}  // namespace shardmill
