// BatchPlan: which samples of a lane make a batch together, when a batch is limited by its frames. A lane is
// the samples of some shards, one shard after the other; a place is the number of a sample there. They come
// in shuffled blocks, and each goes to the open batch of its bucket. Pure arithmetic: it can start again from
// a few numbers, in any process.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::python {

/// The numbers 0 to count - 1 in an order that follows from `seed` and `number` alone.
std::vector<std::uint32_t> shuffled(std::string_view seed, std::uint64_t number, std::uint32_t count);

/// How a rank gets more batches: each is halved `rounds` times. Then parts with more than `threshold` samples
/// are halved once more, and the first `quota` of the parts with exactly `threshold` samples.
struct Halving {
  std::uint32_t rounds = 0;
  std::uint32_t threshold = 0;  // 0: the last step is left out
  std::uint64_t quota = 0;
};

/// Where a plan can start again: at the beginning of a block.
struct Checkpoint {
  std::uint64_t first = 0;   // the first place of the block
  std::uint64_t number = 0;  // of the next batch, in the lane
  std::uint64_t quota = 0;   // the rest of Halving::quota
  std::string open;          // the open batches, as text of bytes
};

class BatchPlan {
 public:
  using Batch = std::vector<std::uint32_t>;  // places
  struct Lane {
    std::uint32_t samples = 0;
    std::uint32_t buffer = 1;  // samples of a block that is shuffled; 1: none is
    std::string seed;
    std::uint64_t frames = 0;             // the most in a batch, padding included
    std::vector<std::uint64_t> bounds{};  // of the buckets, in frames
    /// The lengths of `count` samples from the place `first` on, in frames.
    std::function<std::vector<std::uint32_t>(std::uint32_t first, std::uint32_t count)> lengths;
  };

  explicit BatchPlan(Lane lane);

  /// Runs through the whole lane, and remembers the size of each batch and some checkpoints. Returns how many
  /// batches of each size there are, before any is halved.
  std::map<std::uint32_t, std::uint64_t> survey();
  /// Of a plan that was surveyed: the number of batches when they are halved so. Needed by the next two.
  std::uint64_t settle(const Halving& halving);
  /// The last checkpoint before the batch `number`.
  const Checkpoint& checkpoint(std::uint64_t number) const;
  /// How many samples the batches from `number` on have.
  std::uint64_t samples_from(std::uint64_t number) const;

  /// Continues at a checkpoint. Returns false if it cannot be one of this lane.
  bool begin(const Halving& halving, const Checkpoint& checkpoint);
  /// The places that are in an open batch.
  Batch open_places() const;
  /// The next batch; nullopt at the end.
  std::optional<Batch> next();

 private:
  struct Place {
    std::size_t whole_batches = 0;  // before it
    Checkpoint checkpoint;
  };
  struct Open {
    Batch places;
    std::uint64_t longest = 0;
  };

  std::optional<Batch> next_whole();
  std::optional<Batch> add(std::uint32_t place, std::uint64_t length);
  void begin_block();
  std::uint64_t blocks() const { return (lane_.samples + block_size_ - 1) / block_size_; }
  std::string open_text() const;
  bool take_open_text(std::string_view text);

  Lane lane_;
  std::uint64_t block_size_;
  // where it is
  std::vector<Open> open_;
  std::uint64_t block_ = 0;  // the next one
  std::size_t inside_ = 0;   // the place in the current block
  std::uint32_t first_ = 0;  // the first place of the current block
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> lengths_;
  std::size_t closing_ = 0;  // the bucket that is closed next, at the end
  Halving halving_;
  std::deque<Batch> parts_;
  // what the survey found
  bool is_survey_ = false;
  std::vector<std::uint32_t> sizes_;  // of all batches, before they are halved
  std::vector<Place> places_;
};

}  // namespace shardmill::python
