#include "deal/parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

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

}  // namespace shardmill::deal
