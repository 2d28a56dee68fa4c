// RangeMemory: how much of objects on servers is kept in memory, and how the objects share it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace shardmill::base {

/// For all ranges that are not small. Objects that are read on and on share it. Thread-safe.
class RangeMemory {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kMostOfOne = std::uint64_t{8} << 20;
  static constexpr std::uint64_t kLeastOfOne = std::uint64_t{128} << 10;
  static constexpr std::size_t kMostAhead = 3;
  static constexpr std::uint64_t kSmall = std::uint64_t{256} << 10;  // ranges up to this size are not counted

  static RangeMemory& of_process();

  /// Returns false if it would be more than there is.
  bool take(std::uint64_t bytes);
  /// The bytes of take() are free again, and `room`, which they were in, may be used again.
  void give_back(std::uint64_t bytes, std::vector<std::byte>&& room);
  /// Room for a range that was taken. Memory of earlier ranges is used again: that of many threads, given to
  /// the system and back, would be more than their ranges.
  std::vector<std::byte> room(std::uint64_t bytes);

  void add_reader() noexcept { readers_.fetch_add(1); }
  void remove_reader() noexcept { readers_.fetch_sub(1); }
  /// How many ranges each of them asks for ahead.
  std::size_t ahead() const noexcept;
  /// The size of a range of theirs.
  std::uint64_t share() const noexcept;

 private:
  void free_what_is_too_much();

  std::mutex mutex_;
  std::uint64_t used_ = 0;
  std::uint64_t idle_bytes_ = 0;
  std::deque<std::vector<std::byte>> idle_;
  std::atomic<std::size_t> readers_{0};
};

}  // namespace shardmill::base
