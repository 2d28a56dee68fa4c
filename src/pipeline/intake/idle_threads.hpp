// IdleThreads: lets the threads of the pipeline decode what the serial reader of an archive will ask for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "pipeline/workers.hpp"
#include "source/pieces_ahead.hpp"

namespace shardmill::pipeline {

/// Work is begun by threads that run in `workers`, and done by such threads.
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
