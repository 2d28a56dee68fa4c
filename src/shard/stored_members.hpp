// StoredMembers: the large members of one sample, in a file until the sample is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "base/hash/running_hash.hpp"
#include "base/io/file.hpp"
#include "model/sample.hpp"

namespace shardmill::shard {

/// Where members wait that are too large for memory. As it stands: nowhere, all members are in memory.
struct MemberStorage {
  /// One sample that is being read may hold so many bytes in memory.
  std::uint64_t in_memory_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Larger members are not taken, and so not stored.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Gives an empty file with room for so many bytes. Throws FatalError when there is none.
  std::function<base::File(std::uint64_t bytes)> file{};
};

/// Throws FatalError when the file fails, or has other bytes than were written. One thread at a time.
class StoredMembers {
 public:
  explicit StoredMembers(base::File&& file) : file_(std::move(file)) {}

  /// The next bytes of the member that is coming.
  void add(std::span<const std::byte> bytes);
  /// It is whole, and is known by its place in the tar from now on.
  void end_member(std::uint64_t tar_offset);
  /// It will never be whole.
  void drop_member();

  /// 0 for a member that is not here.
  std::uint64_t bytes_of(const Member& member) const;
  /// Gives their bytes to all members of `sample` that are here.
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
