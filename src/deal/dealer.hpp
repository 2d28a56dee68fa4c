// Dealer: decides for each sample, as it comes, which shard it goes to, so that in the end all shards have
// the same number of samples and the same audio time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"
#include "deal/rest.hpp"

namespace shardmill::deal {

/// Everything a dealer knows, as plain values for a journal.
struct DealerState {
  struct Dataset {
    std::vector<Holding> shards;
    DatasetDeal::Seen seen;
    std::uint64_t held = 0;
    std::uint64_t consumed_bytes = 0;
    std::uint64_t total_bytes = 0;

    bool operator==(const Dataset&) const = default;
  };
  std::vector<Dataset> datasets;

  bool operator==(const DealerState&) const = default;
};

/// For a dealer that sees only a part of the input: the share of its samples of each dataset that it may
/// deal. It holds back the others, which are dealt over all shards together with those of the other parts.
/// Empty: the dealer sees all of the input.
using Allowances = std::vector<double>;

/// Pure and deterministic: the same calls give the same shards on every platform. One thread at a time.
class Dealer {
 public:
  /// `shards` and `datasets` are at least 1.
  Dealer(std::uint32_t shards, std::uint32_t datasets, Allowances allowances = {});
  explicit Dealer(const DealerState& state, Allowances allowances = {});

  /// How much of a dataset's input has been read, in a unit that is exact and the same in every run. Say this
  /// before dealing the samples of that input. For a dataset that ends early, say consumed == total.
  void progress(std::uint32_t dataset, std::uint64_t consumed_bytes, std::uint64_t total_bytes);

  /// The shard for the next sample of `dataset`; nullopt when it must be held back until the end.
  std::optional<std::uint32_t> deal(std::uint32_t dataset, Duration duration);

  /// What each shard holds of each dataset. At the end of all input, deal_evenly() adds the held samples.
  std::vector<std::span<const Holding>> holdings() const;

  DealerState state() const;

 private:
  struct Dataset {
    DatasetDeal deal;
    std::uint64_t held = 0;
    std::uint64_t consumed_bytes = 0;
    std::uint64_t total_bytes = 0;
    std::uint64_t expected = 0;  // samples still to come, estimated from the share of the input that is left
  };

  void update_expected(Dataset& dataset);
  bool is_small() const;
  bool should_hold(std::uint32_t dataset, Duration duration) const;

  std::uint64_t shards_;
  std::vector<Dataset> datasets_;
  Allowances allowances_;
  std::uint64_t seen_ = 0;  // samples of all datasets
  std::uint64_t held_ = 0;
  std::uint64_t expected_ = 0;
};

/// About how many of `samples` samples, which last `duration` together, a dealer holds until the end.
std::uint64_t held_samples(std::uint64_t shards, std::uint64_t samples, Duration duration);

}  // namespace shardmill::deal
