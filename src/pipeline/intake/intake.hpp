// Intake: from source files to measured samples, in an order that does not depend on threads.
// How much memory a sample takes on its way from source to shard, compared with the user's bound; and
// OpenWindows, which counts the bytes that the decoders of open files hold from one piece to the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/transform.hpp"
#include "base/reporter.hpp"
#include "codec/piece.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/ordered.hpp"
#include "pipeline/source_item.hpp"
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

/// One unit of input, or the next stretch of a unit that expands to much, and what becomes of it.
struct IntakeBatch {
  std::shared_ptr<OpenSource> source;  // none: the batch is empty
  Unit unit;
  std::uint64_t consumed_bytes = 0;  // read of its stream, this unit included
  std::vector<SourceItem> items;     // once the unit is parsed
  FileProgress file{};
  std::vector<Measured> measured;  // in place of the items, once they are measured
  BudgetShare on_its_way{};        // counts it among those that are parsed and not done
};

/// A batch goes through next(), prepare(), parse() and measure(), in this order. prepare() and measure() may
/// run on any thread, the other two on one thread at a time each, in the order of the batches.
///
/// A unit may expand to a hundred times its size. A batch takes no more than a few megabytes of it, and
/// leaves the rest, and all that comes after, to the batches that follow. So memory does not depend on what
/// is in a file, and the order of the samples does not depend on the batches.
///
/// Large members of shards are stored until measure(). Where there is no room for them, parse() keeps what it
/// has parsed until there is, and gives it to a later batch.
class Intake {
 public:
  /// All arguments must outlive it. No sample may take more than `memory_bytes`. `windows` counts the bytes
  /// that decoders hold; null: they are not counted.
  Intake(const Inputs& inputs, const IntakeOptions& options, UnitFeed& feed, std::uint64_t memory_bytes,
         base::Reporter& reporter, OpenWindows* windows = nullptr)
      : inputs_(inputs),
        options_(options),
        feed_(feed),
        memory_bytes_(memory_bytes),
        reporter_(reporter),
        windows_(windows) {}

  /// nullopt at the end of all input. Throws Error when a recording needs more memory than there is.
  std::optional<Costly<IntakeBatch>> next();
  /// True when units wait that their own batches did not finish. An empty batch goes on with them. Any thread
  /// may ask.
  bool has_rest() const noexcept { return has_rest_; }
  static void prepare(const IntakeBatch& batch) { batch.unit.prepare(); }
  /// Throws Error when a sample needs more memory than there is, or the decoders do.
  void parse(IntakeBatch& batch, BudgetShare& share);
  void measure(IntakeBatch& batch, BudgetShare& share) const;

  bool done() const noexcept { return feed_.done(); }
  /// How far all streams are, when every batch was parsed and no unit waits.
  std::vector<StreamPosition> positions() const { return feed_.positions(); }
  /// Goes on from there: the next samples are those that would have come next then.
  void restore(const std::vector<StreamPosition>& positions, Workers& workers);

 private:
  /// A prepared unit that was not begun, or was not read to its end.
  struct Waiting {
    std::shared_ptr<OpenSource> source;
    Unit unit;
    std::uint64_t consumed_bytes = 0;
    BudgetShare share;
  };

  /// What was parsed, and waits for a batch that may take it.
  struct Parsed {
    IntakeBatch batch;
    std::uint64_t needed_bytes = 0;
    bool is_stored = false;  // some of the needed bytes are not in memory yet
  };

  std::optional<Parsed> take_items();
  void check_coming(const OpenSource& source) const;
  void count_memory(Parsed& parsed) const;
  std::uint64_t needed_for(const UnitFeed::Item& item) const;
  std::uint32_t dataset_of(const Utterance& utterance, const InputStream& stream) const;
  const source::SourceFile& file_of(const OpenSource& source) const {
    return inputs_.streams[source.stream].files[source.file];
  }
  void read_again(const ReopenedSource& reopened, Workers& workers) const;

  const Inputs& inputs_;
  const IntakeOptions& options_;
  UnitFeed& feed_;
  std::uint64_t memory_bytes_;
  base::Reporter& reporter_;
  OpenWindows* windows_;
  std::deque<Waiting> waiting_;                                       // in order; only parse() uses it
  std::optional<Parsed> parsed_;                                      // comes before these
  ByteBudget on_its_way_{std::numeric_limits<std::uint64_t>::max()};  // sample bytes; only counts
  std::atomic<bool> has_rest_ = false;
};

}  // namespace shardmill::pipeline
