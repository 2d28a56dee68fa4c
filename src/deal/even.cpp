#include "deal/even.hpp"

#include <algorithm>
#include <utility>

#include "base/hash/hash.hpp"

namespace shardmill::deal {

namespace {

std::uint64_t draw_of(std::uint64_t seed, std::uint64_t number) {
  return base::mix((seed + 1) * 0x9e3779b97f4a7c15 + number);
}

std::vector<std::uint32_t> some_of(std::uint32_t held, std::uint64_t wanted, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;
  drawn.reserve(held);
  for (std::uint32_t number = 0; number < held; ++number) drawn.emplace_back(draw_of(seed, number), number);
  const auto end = drawn.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(wanted, held));
  std::partial_sort(drawn.begin(), end, drawn.end());
  std::vector<std::uint32_t> chosen;
  for (auto each = drawn.begin(); each != end; ++each) chosen.push_back(each->second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

EvenChange even_out(std::uint64_t dealt, std::uint32_t held, std::uint64_t shards, Even even,
                    std::uint64_t seed) {
  const std::uint64_t over = (dealt + held) % shards;
  if (even == Even::off || over == 0) return {};
  if (even == Even::leave_out) return {.left_out = some_of(held, over, seed), .repeated = {}};
  return {.left_out = {}, .repeated = some_of(held, shards - over, seed)};
}

}  // namespace shardmill::deal
