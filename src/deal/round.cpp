#include "shardmill/deal/round.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

namespace shardmill::deal {
namespace {

constexpr std::uint32_t kNowhere = 0xffff'ffff;
constexpr unsigned kWordBits = 64;

/// The first set bit at or behind `from`.
std::uint32_t next_set(std::span<const std::uint64_t> bits, std::uint32_t from) {
  std::size_t word = from / kWordBits;
  std::uint64_t rest = bits[word] & (~std::uint64_t{0} << (from % kWordBits));
  while (rest == 0) {
    if (++word == bits.size()) return kNowhere;
    rest = bits[word];
  }
  return static_cast<std::uint32_t>(word * kWordBits + static_cast<unsigned>(std::countr_zero(rest)));
}

/// The last set bit at or before `from`.
std::uint32_t previous_set(std::span<const std::uint64_t> bits, std::uint32_t from) {
  std::size_t word = from / kWordBits;
  std::uint64_t rest = bits[word] & (~std::uint64_t{0} >> (kWordBits - 1 - from % kWordBits));
  while (rest == 0) {
    if (word-- == 0) return kNowhere;
    rest = bits[word];
  }
  return static_cast<std::uint32_t>(word * kWordBits + kWordBits - 1 -
                                    static_cast<unsigned>(std::countl_zero(rest)));
}

}  // namespace

Round::Round(std::vector<std::uint32_t> state)
    : order_(std::move(state)), free_((order_.size() + kWordBits - 1) / kWordBits) {
  for (std::size_t place = 0; place < order_.size(); ++place) {
    if (order_[place] == kServed) continue;
    free_[place / kWordBits] |= std::uint64_t{1} << (place % kWordBits);
    ++unserved_;
  }
}

void Round::begin(std::span<const Duration> shards) {
  order_.resize(shards.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return shards[a] != shards[b] ? shards[a] < shards[b] : a < b;
  });
  *this = Round(std::move(order_));
}

std::uint32_t Round::serve(std::uint64_t longer, std::uint64_t of) {
  const auto wanted = static_cast<std::uint32_t>(longer * order_.size() / of);
  const std::uint32_t place = nearest_unserved(wanted);
  free_[place / kWordBits] &= ~(std::uint64_t{1} << (place % kWordBits));
  --unserved_;
  return std::exchange(order_[place], kServed);
}

std::uint32_t Round::nearest_unserved(std::uint32_t position) const {
  const std::uint32_t next = next_set(free_, position);
  if (next == position) return next;
  const std::uint32_t previous = previous_set(free_, position);
  if (previous == kNowhere) return next;
  if (next == kNowhere) return previous;
  return next - position < position - previous ? next : previous;
}

std::vector<std::uint32_t> Round::unserved() const {
  std::vector<std::uint32_t> shards;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(shards),
               [](std::uint32_t shard) { return shard != kServed; });
  return shards;
}

std::vector<std::uint32_t> Round::state() const {
  return over() ? std::vector<std::uint32_t>{} : order_;
}

}  // namespace shardmill::deal
