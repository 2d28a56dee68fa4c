#include "deal/dataset_deal.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/hash/hash.hpp"

namespace shardmill::deal {
namespace {

// Surpluses are measured in mean deviations, as fixed-point numbers.
constexpr std::int64_t kUnit = 1 << 10;
constexpr std::int64_t kFarthest = 8;  // in units: larger surpluses count as this
// The price of giving a shard one more sample while another has one less. With a small weight, counts drift
// apart when the input is sorted; with a large one, no choice of shards remains. With 8, and with no shard
// more than four samples ahead, times stay together in every order that was tried.
constexpr std::int64_t kCountWeight = 8 * kUnit * kUnit;
constexpr std::size_t kMostLevels = 4;

std::int64_t in_units(Duration value, Duration unit) {
  const std::int64_t farthest = unit.count() * kFarthest;
  return std::clamp(value.count(), -farthest, farthest) * kUnit / unit.count();
}

}  // namespace

DatasetDeal::DatasetDeal(std::vector<Holding> shards, const Seen& seen)
    : shards_(std::move(shards)), seen_(seen) {
  std::uint64_t fewest = shards_.front().samples;
  for (const Holding& shard : shards_) fewest = std::min(fewest, shard.samples);
  levels_.emplace_back(fewest);
  for (std::uint32_t shard = 0; shard < shards_.size(); ++shard) enter(shard);
}

void DatasetDeal::see(Duration duration) {
  ++seen_.samples;
  seen_.duration += duration;
  seen_.deviation += std::chrono::abs(duration - mean());
}

Duration DatasetDeal::mean() const {
  return seen_.duration / static_cast<std::int64_t>(seen_.samples);
}

std::uint32_t DatasetDeal::deal(Duration duration) {
  const Duration mean_duration = mean();
  const Duration unit = std::max(Duration(1), seen_.deviation / static_cast<std::int64_t>(seen_.samples));
  const std::int64_t deviation = in_units(duration - mean_duration, unit);
  std::optional<std::int64_t> least_cost;
  std::uint32_t chosen = 0;
  for (std::size_t i = 0; i < std::min(kMostLevels, levels_.size()); ++i) {
    if (levels_[i].members == 0) continue;
    const std::uint32_t shard = deviation > 0 ? emptiest(levels_[i]) : fullest(levels_[i]);
    const Duration surplus =
        shards_[shard].duration - static_cast<std::int64_t>(shards_[shard].samples) * mean_duration;
    const std::int64_t cost =
        deviation * in_units(surplus, unit) + static_cast<std::int64_t>(i) * kCountWeight;
    if (least_cost && cost >= *least_cost) continue;
    least_cost = cost;
    chosen = shard;
  }
  --levels_[shards_[chosen].samples - levels_.front().samples].members;
  shards_[chosen].duration += duration;
  ++shards_[chosen].samples;
  enter(chosen);
  while (levels_.front().members == 0) levels_.pop_front();
  return chosen;
}

void DatasetDeal::enter(std::uint32_t shard) {
  const std::uint64_t index = shards_[shard].samples - levels_.front().samples;
  while (levels_.size() <= index) levels_.emplace_back(levels_.back().samples + 1);
  Level& level = levels_[index];
  ++level.members;
  level.least.emplace(shards_[shard].duration, shard);
  level.most.emplace(shards_[shard].duration, shard);
}

std::uint32_t DatasetDeal::emptiest(Level& level) {
  while (shards_[level.least.top().second].samples != level.samples) level.least.pop();
  return level.least.top().second;
}

std::uint32_t DatasetDeal::fullest(Level& level) {
  while (shards_[level.most.top().second].samples != level.samples) level.most.pop();
  return level.most.top().second;
}

namespace {

/// Six digits are more than an estimate is worth, and read well.
double rounded(double weight) {
  const double scale = std::pow(10, 5 - std::floor(std::log10(weight)));
  return std::round(weight * scale) / scale;
}

bool is_mixed(const ShareWish& wish) {
  return !wish.weight && !wish.take && wish.seconds > 0;
}

}  // namespace

std::vector<double> shares(const std::vector<ShareWish>& wishes, std::optional<double> temperature,
                           std::optional<double> rest_seconds) {
  double mixed_seconds = 0;
  double mixed_parts = 0;
  for (const ShareWish& wish : wishes) {
    if (!is_mixed(wish)) continue;
    mixed_seconds += wish.seconds;
    mixed_parts += std::pow(wish.seconds, temperature.value_or(1));
  }
  std::vector<double> weights;
  double rest = 0;  // of those without a take of their own
  for (const ShareWish& wish : wishes) {
    double weight = wish.weight.value_or(1);
    if (wish.take && wish.seconds > 0) weight = *wish.take / wish.seconds;
    if (is_mixed(wish))
      weight = mixed_seconds * std::pow(wish.seconds, temperature.value_or(1)) / mixed_parts / wish.seconds;
    weights.push_back(weight);
    if (!wish.take) rest += weight * wish.seconds;
  }
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (!wishes[i].take && rest_seconds && rest > 0) weights[i] *= *rest_seconds / rest;
    weights[i] = rounded(weights[i]);
  }
  return weights;
}

namespace {

/// FNV-1a, and its bits spread.
std::uint64_t draw_of(std::uint64_t seed, std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return base::mix(hash);
}

}  // namespace

std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key) {
  const double whole = std::floor(weight);
  const double draw = static_cast<double>(draw_of(seed, key) >> 11) * 0x1p-53;
  return static_cast<std::uint64_t>(whole) + (draw < weight - whole ? 1 : 0);
}

}  // namespace shardmill::deal
