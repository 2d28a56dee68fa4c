#include "deal/weight.hpp"

#include <cmath>

namespace shardmill::deal {

namespace {

// FNV-1a, then the last step of SplitMix64, so that every bit of the key affects every bit of the result.
std::uint64_t mix(std::uint64_t seed, std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace

std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key) {
  const double whole = std::floor(weight);
  const double draw = static_cast<double>(mix(seed, key) >> 11) * 0x1p-53;
  return static_cast<std::uint64_t>(whole) + (draw < weight - whole ? 1 : 0);
}

}  // namespace shardmill::deal
