// Dealer: decides for each sample, as it comes, which shard it goes to, so that all shards end up with the
// same number of samples and the same audio time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "deal/dataset_deal.hpp"
#include "deal/rest.hpp"

namespace shardmill::deal {

/// All that a dealer knows, as plain values, for a journal.
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

/// What a dealer that sees only a part of the input may deal of each dataset: this share of the samples that
/// it has seen. What it holds back is dealt with that of the other parts, over all shards. Empty: it sees
/// all.
using Allowances = std::vector<double>;

/// Pure and deterministic: the same calls give the same shards on every platform. One thread at a time.
class Dealer {
 public:
  /// `shards` and `datasets` are at least 1.
  Dealer(std::uint32_t shards, std::uint32_t datasets, Allowances allowances = {});
  explicit Dealer(const DealerState& state, Allowances allowances = {});

  /// How much of a dataset's input has been read, in whatever unit is exact and the same in every run. To be
  /// told before the samples of that input are dealt. A dataset that ends early is told as consumed == total.
  void progress(std::uint32_t dataset, std::uint64_t consumed_bytes, std::uint64_t total_bytes);

  /// The shard of the next sample of `dataset`; nullopt when it is to be held back for deal_rest().
  std::optional<std::uint32_t> deal(std::uint32_t dataset, Duration duration);

  /// At the end of all input: the shard of each sample that deal() held back.
  std::vector<std::uint32_t> deal_rest(std::span<const HeldSample> held) const;

  DealerState state() const;

 private:
  struct Dataset {
    DatasetDeal deal;
    std::uint64_t held = 0;
    std::uint64_t consumed_bytes = 0;
    std::uint64_t total_bytes = 0;
    std::uint64_t expected = 0;  // samples still to come, by the share of the input that is left
  };

  void update_expected(Dataset& dataset);
  bool should_hold(std::uint32_t dataset, Duration duration) const;

  std::uint64_t shards_;
  std::vector<Dataset> datasets_;
  Allowances allowances_;
  std::uint64_t seen_ = 0;  // of all datasets
  std::uint64_t held_ = 0;
  std::uint64_t expected_ = 0;
};

}  // namespace shardmill::deal
