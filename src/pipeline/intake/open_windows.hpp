// OpenWindows: counts what the decoders of open files hold from one piece to the next, as a share of the
// memory that may be used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/reporter.hpp"
#include "codec/piece.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// The order of the samples depends on how many files are open, so no file is closed to save memory. A bound
/// that the user gave is held, or it is an error. Where it is the standard one, windows may take as much
/// again, and it is said. One thread at a time.
class OpenWindows {
 public:
  /// `budget`, of `memory_bytes`, and `reporter` must outlive it. Files of `streams` streams are open.
  OpenWindows(ByteBudget& budget, std::uint64_t memory_bytes, MemoryBound bound, std::size_t streams,
              base::Reporter& reporter)
      : memory_bytes_(memory_bytes),
        bound_(bound),
        streams_(streams),
        reporter_(reporter),
        share_(budget, 0) {}

  /// The decoder of a file held `window`, and holds `now`. Throws Error, which says how much memory is
  /// enough, when too little is left beside all windows.
  void change(codec::Window& window, const codec::Window& now);

 private:
  void check();

  std::uint64_t memory_bytes_;
  MemoryBound bound_;
  std::size_t streams_;
  base::Reporter& reporter_;
  BudgetShare share_;
  codec::Window all_{};
  std::uint64_t largest_full_bytes_ = 0;  // of one window that was met
  std::size_t open_ = 0;
  bool has_warned_ = false;
};

}  // namespace shardmill::pipeline
