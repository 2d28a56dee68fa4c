// PlainShard: the samples of a shard that is not compressed, found by the headers of its tar. The bytes of a
// member are read straight to where the caller wants them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardmill/shard.hpp"

namespace shardmill {

/// A file inside a plain tar, and where its bytes are.
struct MemberPlace {
  std::string name;       // as in the tar
  std::string extension;  // the name after the dot that ends the key, in lower case
  std::uint64_t tar_offset = 0;
  std::uint64_t bytes = 0;
};

/// The members that share a key.
struct SamplePlace {
  std::string key;
  std::vector<MemberPlace> members;  // in the order of the tar
};

/// True unless the file starts like a compressed file. Throws Error if it cannot be read.
bool is_plain_shard(const std::string& path);

/// Gives the samples that read_shard() gives, in the same order, and throws the same errors. One thread at a
/// time, except for read().
class PlainShard {
 public:
  /// Throws Error for a file that cannot be opened. With `skip_damage`, losses are reported to `observer`,
  /// which must outlive the shard.
  PlainShard(const std::string& path, const ReadOptions& options, Observer& observer);
  ~PlainShard();
  PlainShard(const PlainShard&) = delete;
  PlainShard& operator=(const PlainShard&) = delete;

  /// The next sample; nullopt at the end. Throws Error for damage unless `skip_damage` is set.
  std::optional<SamplePlace> next();
  /// Reads all bytes of a member; `out` must have exactly their size. Several threads may read at the same
  /// time.
  void read(const MemberPlace& member, std::span<std::byte> out) const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace shardmill
