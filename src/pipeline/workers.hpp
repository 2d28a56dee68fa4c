// Workers: the threads that all parallel work of one command shares, and the memory that may be in flight.
// IdleThreads: those of them that have nothing to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "source/pieces_ahead.hpp"

namespace shardmill::pipeline {

/// Where the bound on memory comes from. One that the user gave is held, or it is an error.
enum class MemoryBound { given, standard };

/// In a process that was forked of one that had used them, the threads of oneTBB are not there, and it would
/// wait for them. All work is done by the caller there, one piece after the other.
class Workers {
 public:
  /// At most `threads` threads work at a time, the caller's among them; `memory_bytes` bounds the
  /// bytes in flight.
  Workers(unsigned threads, std::uint64_t memory_bytes, MemoryBound bound = MemoryBound::given);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned threads() const noexcept { return threads_; }
  /// Whether run() may use threads of oneTBB.
  static bool may_use_threads();
  std::uint64_t memory_bytes() const noexcept { return memory_bytes_; }
  MemoryBound memory_bound() const noexcept { return memory_bound_; }
  /// How much of that one piece of work may hold: all of it, or a fair share inside for_each().
  std::uint64_t memory_share() const noexcept;

  /// How many items of about `item_bytes` one piece of work may have in flight: enough to keep all threads
  /// busy, fewer where the memory bound asks for it, but at least one. Inside for_each() the calls share the
  /// bound.
  std::size_t items_in_flight(std::uint64_t item_bytes) const noexcept;

  /// Runs `work` so that the parallel functions of this folder use these threads. Throws what `work` throws.
  void run(const std::function<void()>& work);

  /// Calls work(i) for every i below `count`. The calls begin in order and run several at a time; fewer at a
  /// time when each holds `item_bytes` and the memory bound asks for it. No call begins after an exception.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work,
                std::uint64_t item_bytes = 0);

 private:
  struct Impl;
  unsigned threads_;
  std::uint64_t memory_bytes_;
  MemoryBound memory_bound_;
  std::atomic<std::size_t> unfinished_{0};  // items of for_each()
  std::unique_ptr<Impl> impl_;
};

/// The version of the library that is used.
std::string tbb_version();

/// Lets the threads of the pipeline decode what the serial reader of an archive will ask for. Work is begun
/// by threads that run in `workers`, and done by such threads.
class IdleThreads final : public source::OtherThreads {
 public:
  explicit IdleThreads(const Workers& workers);

  std::size_t most_ahead() const override { return most_ahead_; }
  bool take(std::uint64_t bytes) override;
  void give_back(std::uint64_t bytes) noexcept override { taken_bytes_ -= bytes; }
  void start(std::function<void()> work) override;

 private:
  std::size_t most_ahead_;
  std::uint64_t limit_bytes_;
  std::atomic<std::uint64_t> taken_bytes_{0};
};

}  // namespace shardmill::pipeline
