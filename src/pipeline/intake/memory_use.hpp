// How much memory a sample takes on its way from source to shard, compared with the user's bound; and
// OpenWindows, which counts the bytes that the decoders of open files hold from one piece to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "audio/transform.hpp"
#include "base/reporter.hpp"
#include "codec/piece.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/workers.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// The memory that a sample takes. It is more than its bytes, because the original and the packed form exist
/// at the same time, and a transcript is also in records and lines. Measured with samples of many megabytes.
std::uint64_t needed_bytes(const shard::GroupedSample& sample, const audio::WantedForm& form);
/// The same for a sample that is still being read: it takes that much at least.
std::uint64_t needed_bytes(const shard::ComingSample& sample, const audio::WantedForm& form);
/// The memory that samples of a recording take if they are copied as a whole; they have `bytes` bytes in all.
std::uint64_t needed_bytes(std::uint64_t bytes, const audio::WantedForm& form);

/// A round bound on memory of at least `bytes`, as an option takes it: "128MiB".
std::string enough_memory(std::uint64_t bytes);

/// Throws Error, which names a sufficient bound, when one sample needs more than `memory_bytes`.
void check_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path,
                  const std::string& key);

/// The same for a part of a file that can only be decoded as a whole, such as a page of a Parquet file.
void check_piece_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path);

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
