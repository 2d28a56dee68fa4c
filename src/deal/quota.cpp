#include "shardmill/deal/quota.hpp"

#include <algorithm>
#include <tuple>

namespace shardmill::deal {
namespace {

/// Chooses which shards get one sample more than others, dataset by dataset, so that the choices add up
/// evenly.
class Extras {
 public:
  explicit Extras(std::span<const Duration> shards) : shards_(shards), chosen_(shards.size()) {}

  void count(const std::vector<bool>& extra) {
    for (std::size_t shard = 0; shard < extra.size(); ++shard) chosen_[shard] += extra[shard] ? 1U : 0U;
  }

  /// Adds `number` shards to `extra`: those chosen least often so far; of equals, those that hold least.
  void choose(std::uint64_t number, std::vector<bool>& extra) {
    candidates_.clear();
    for (std::uint32_t shard = 0; shard < extra.size(); ++shard) {
      if (!extra[shard]) candidates_.push_back(shard);
    }
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(number);
    std::nth_element(candidates_.begin(), end, candidates_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::tuple(chosen_[a], shards_[a], a) < std::tuple(chosen_[b], shards_[b], b);
    });
    for (auto shard = candidates_.begin(); shard != end; ++shard) {
      extra[*shard] = true;
      ++chosen_[*shard];
    }
  }

 private:
  std::span<const Duration> shards_;
  std::vector<std::uint32_t> chosen_;  // times each shard was chosen
  std::vector<std::uint32_t> candidates_;
};

}  // namespace

std::vector<Quota> make_quotas(std::span<const Duration> shards, std::span<const DealtBefore> datasets,
                               std::span<const std::uint64_t> held) {
  const std::uint64_t n = shards.size();
  struct Plan {
    std::vector<bool> served;  // in the round under way
    std::uint64_t rounds = 0;  // completed before
    std::uint64_t floor = 0;   // samples that every shard ends up with
    std::uint64_t extras = 0;  // shards that end up with one more
    bool bound = false;        // the round under way stays incomplete: those served are those with one more
  };
  std::vector<Plan> plans;
  std::vector<Quota> quotas;
  Extras extras(shards);
  for (std::size_t d = 0; d < datasets.size(); ++d) {
    const DealtBefore& before = datasets[d];
    const std::uint64_t total = before.samples + held[d];
    Plan plan{.served = std::vector<bool>(n, !before.unserved.empty()),
              .rounds = before.samples / n,
              .floor = total / n,
              .extras = total % n};
    for (const std::uint32_t shard : before.unserved) plan.served[shard] = false;
    plan.bound = plan.floor == plan.rounds && before.samples % n != 0;
    quotas.push_back({std::vector<std::uint32_t>(n), std::vector<bool>(n)});
    if (plan.bound) {
      quotas.back().extra = plan.served;
      plan.extras -= before.samples % n;
      extras.count(plan.served);
    }
    plans.push_back(std::move(plan));
  }
  // Those that are free to choose any shard choose last: they can make up for what the others had to take.
  for (const bool bound : {true, false}) {
    for (std::size_t d = 0; d < plans.size(); ++d) {
      if (plans[d].bound == bound) extras.choose(plans[d].extras, quotas[d].extra);
    }
  }
  for (std::size_t d = 0; d < plans.size(); ++d) {
    for (std::size_t shard = 0; shard < n; ++shard) {
      quotas[d].samples[shard] =
          static_cast<std::uint32_t>(plans[d].floor + (quotas[d].extra[shard] ? 1 : 0) - plans[d].rounds -
                                     (plans[d].served[shard] ? 1 : 0));
    }
  }
  return quotas;
}

}  // namespace shardmill::deal
