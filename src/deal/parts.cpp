#include "deal/parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "deal/even.hpp"

namespace shardmill::deal {

namespace {

// Files of the same size hold amounts of audio that differ by several per cent. The more files a part has,
// the more this evens out: with a hundred files, 3% are held back.
constexpr double kHeldWithOneFile = 0.3;
constexpr double kLeastHeld = 0.01;

}  // namespace

std::vector<ShardRange> divide_shards(std::uint32_t shards, std::uint32_t parts) {
  std::vector<ShardRange> ranges;
  const auto boundary = [&](std::uint64_t part) {
    return static_cast<std::uint32_t>(std::uint64_t{shards} * part / parts);
  };
  for (std::uint32_t part = 0; part < parts; ++part)
    ranges.push_back({.first = boundary(part), .count = boundary(part + 1) - boundary(part)});
  return ranges;
}

std::vector<std::uint32_t> divide_files(std::span<const std::uint64_t> file_bytes,
                                        std::span<const ShardRange> parts,
                                        std::vector<std::uint64_t>& given) {
  std::vector<std::size_t> largest_first(file_bytes.size());
  std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](std::size_t a, std::size_t b) { return file_bytes[a] > file_bytes[b]; });
  std::vector<std::uint64_t> mine(parts.size(), 0);
  std::vector<std::uint32_t> part_of(file_bytes.size());
  for (const std::size_t file : largest_first) {
    std::uint32_t best = 0;
    const auto load = [&](std::uint32_t part) {
      const double shards = parts[part].count;
      return std::tuple(static_cast<double>(mine[part] + file_bytes[file]) / shards,
                        static_cast<double>(given[part]) / shards);
    };
    for (std::uint32_t part = 1; part < parts.size(); ++part) {
      if (load(part) < load(best)) best = part;
    }
    part_of[file] = best;
    mine[best] += file_bytes[file];
    given[best] += file_bytes[file];
  }
  return part_of;
}

double allowance(std::uint64_t part_bytes, std::uint64_t all_bytes, std::size_t part_files,
                 const ShardRange& part, std::uint32_t shards) {
  if (part_bytes == 0) return 1;
  const double held =
      std::clamp(kHeldWithOneFile / std::sqrt(static_cast<double>(part_files)), kLeastHeld, kHeldWithOneFile);
  const double share_of_bytes = static_cast<double>(part_bytes) / static_cast<double>(all_bytes);
  const double share_of_shards = static_cast<double>(part.count) / shards;
  return std::min(1.0, (1 - held) * share_of_shards / share_of_bytes);
}

namespace {

constexpr std::uint64_t kFewest = 16;  // of each shard, at first; then twice as many, and so on

std::vector<std::uint64_t> numbers_to_try(std::span<const PartSamples> parts) {
  std::size_t longest = 0;
  for (const PartSamples& part : parts) {
    for (const auto& samples : part.shards) longest = std::max(longest, samples.size());
  }
  std::vector<std::uint64_t> numbers;
  if (longest == 0) return numbers;
  for (std::uint64_t number = kFewest; number < longest; number *= 2) numbers.push_back(number);
  numbers.push_back(longest);
  return numbers;
}

Duration least_possible(std::span<const PartSamples> parts) {
  std::size_t shards = 0;
  std::vector<HeldSample> all;
  for (const PartSamples& part : parts) {
    shards += part.shards.size();
    all.insert(all.end(), part.held.begin(), part.held.end());
    for (const auto& samples : part.shards) all.insert(all.end(), samples.begin(), samples.end());
  }
  return least_spread(all, shards).spread;
}

}  // namespace

CutShards cut_shards(std::span<const PartSamples> parts, std::size_t datasets, std::uint64_t given) {
  CutShards cut{.dealt = std::vector<std::vector<Holding>>(datasets), .held = {}};
  for (const PartSamples& part : parts) {
    cut.held.insert(cut.held.end(), part.held.begin(), part.held.end());
    for (const std::vector<HeldSample>& samples : part.shards) {
      for (auto& shards : cut.dealt) shards.emplace_back();
      const std::size_t kept = samples.size() - std::min<std::uint64_t>(samples.size(), given);
      for (std::size_t i = 0; i < kept; ++i) {
        Holding& holding = cut.dealt[samples[i].dataset].back();
        ++holding.samples;
        holding.duration += samples[i].duration;
      }
      cut.held.insert(cut.held.end(), samples.begin() + static_cast<std::ptrdiff_t>(kept), samples.end());
    }
  }
  return cut;
}

std::uint64_t samples_to_give_back(std::span<const PartSamples> parts, std::size_t datasets,
                                   const EvenWish& wish, const RestDeal& now) {
  const std::vector<std::uint64_t> numbers = numbers_to_try(parts);
  if (numbers.empty()) return 0;
  const Duration good_enough = least_possible(parts) + kEvenSpread;
  RestDeal best = now;
  std::uint64_t best_number = 0;
  for (const Effort effort : {Effort::quick, Effort::thorough}) {
    for (const std::uint64_t number : numbers) {
      if (best.has_equal_counts && best.spread <= good_enough) return best_number;
      const CutShards cut = cut_shards(parts, datasets, number);
      RestDeal deal = deal_evenly(cut.views(), cut.held, wish, effort);
      if (!deal.is_better_than(best)) continue;
      best = std::move(deal);
      best_number = number;
    }
  }
  return best_number;
}

}  // namespace shardmill::deal
