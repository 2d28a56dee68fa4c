#include "deal/quota.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace shardmill::deal {
namespace {

using Counts = std::vector<std::uint64_t>;

/// What each shard ends up with, per dataset and in total.
struct Result {
  std::vector<Counts> per_dataset;
  Counts total;
};

std::uint64_t spread(const Counts& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most - *least;
}

Result fill(const std::vector<Counts>& dealt, const Counts& held) {
  std::vector<std::vector<Holding>> holdings;
  for (const Counts& counts : dealt) {
    holdings.emplace_back();
    for (const std::uint64_t count : counts) holdings.back().push_back({count, {}});
  }
  const std::vector<Quota> quotas =
      make_quotas(std::vector<std::span<const Holding>>(holdings.begin(), holdings.end()), held);
  Result result{.per_dataset = dealt, .total = Counts(dealt.front().size())};
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    EXPECT_EQ(std::accumulate(quotas[d].samples.begin(), quotas[d].samples.end(), 0U), held[d]);
    for (std::size_t shard = 0; shard < dealt[d].size(); ++shard) {
      result.per_dataset[d][shard] += quotas[d].samples[shard];
      result.total[shard] += result.per_dataset[d][shard];
    }
  }
  return result;
}

TEST(Quota, fills_up_the_shards_that_have_fewest) {
  EXPECT_EQ(fill({{5, 3, 4, 3}}, {5}).per_dataset[0], (Counts{5, 5, 5, 5}));
  EXPECT_EQ(fill({{5, 3, 4, 3}}, {3}).per_dataset[0], (Counts{5, 5, 4, 4}));
  EXPECT_EQ(fill({{9, 1, 1, 1}}, {7}).per_dataset[0], (Counts{9, 4, 3, 3}));
}

TEST(Quota, spreads_the_extra_samples_of_many_small_datasets) {
  const std::vector<Counts> nothing(10, Counts(16));
  const Result result = fill(nothing, Counts{3, 5, 16, 17, 1, 0, 40, 7, 9, 2});
  EXPECT_EQ(spread(result.total), 1U);
  for (const Counts& counts : result.per_dataset) EXPECT_LE(spread(counts), 1U);
}

TEST(Quota, free_datasets_make_up_for_bound_ones) {
  const Result result = fill({{4, 4, 3, 3}, {7, 7, 7, 7}}, {0, 2});
  EXPECT_EQ(result.per_dataset[1], (Counts{7, 7, 8, 8}));
  EXPECT_EQ(spread(result.total), 0U);
}

TEST(Quota, nothing_held_is_nothing_to_get) {
  EXPECT_EQ(fill({{1, 3}}, {0}).per_dataset[0], (Counts{1, 3}));
}

}  // namespace
}  // namespace shardmill::deal
