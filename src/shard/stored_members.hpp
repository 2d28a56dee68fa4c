// StoredMembers: the large members of one sample, in a file until the sample is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::shard {

/// The place for members that are too large for memory. By default there is none, and all members are in
/// memory.
struct MemberStorage {
  /// The most bytes in memory for the sample that is being read.
  std::uint64_t in_memory_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Larger members are refused, and not stored.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Returns an empty file with room for `bytes` bytes. Throws FatalError if there is no room.
  std::function<base::File(std::uint64_t bytes)> file{};
};

/// Throws FatalError if the file fails, or no longer has the written bytes. One thread at a time.
class StoredMembers {
 public:
  explicit StoredMembers(base::File&& file) : file_(std::move(file)) {}

  /// Adds the next bytes of the current member.
  void add(std::span<const std::byte> bytes);
  /// Ends the current member, which is from now on known by its place in the tar.
  void end_member(std::uint64_t tar_offset);
  /// Drops the current member.
  void drop_member();

  /// The size of a stored member; 0 for any other.
  std::uint64_t bytes_of(const Member& member) const;
  /// Reads the bytes of all stored members of `sample` into it.
  void load(Sample& sample) const;

 private:
  struct Stored {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;
  };
  void load(const Stored& stored, Bytes& out) const;

  base::File file_;
  std::map<std::uint64_t, Stored> members_;  // by their places in the tar
  Stored coming_;
  base::RunningHash hash_;  // of the bytes of coming_
};

}  // namespace shardmill::shard
