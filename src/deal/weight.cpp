#include "deal/weight.hpp"

#include <cmath>

#include "base/hash/hash.hpp"

namespace shardmill::deal {

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
