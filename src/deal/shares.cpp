#include "deal/shares.hpp"

#include <cmath>

#include "base/hash/hash.hpp"

namespace shardmill::deal {
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
