#include "shardmill/deal/duration_histogram.hpp"

#include <algorithm>
#include <bit>

namespace shardmill::deal {
namespace {

// Bins are one millisecond wide up to 64 ms, then 64 to an octave, up to 2^32 ms (50 days).
constexpr unsigned kBinBits = 6;
constexpr std::uint64_t kBinsPerOctave = 1U << kBinBits;
constexpr std::uint64_t kLongestMilliseconds = 0xffff'ffff;

constexpr std::size_t bin_of_milliseconds(std::uint64_t milliseconds) {
  if (milliseconds < kBinsPerOctave) return milliseconds;
  const auto octave = static_cast<unsigned>(std::bit_width(milliseconds)) - 1 - kBinBits;
  return octave * kBinsPerOctave + (milliseconds >> octave);
}

constexpr std::size_t kBins = bin_of_milliseconds(kLongestMilliseconds) + 1;

}  // namespace

DurationHistogram::DurationHistogram() : tree_(kBins + 1) {}

DurationHistogram::DurationHistogram(const std::vector<std::uint64_t>& counts) : DurationHistogram() {
  for (std::size_t bin = 0; bin < counts.size(); ++bin) add(bin, counts[bin]);
}

std::size_t DurationHistogram::bin_of(Duration duration) {
  const auto milliseconds = std::max<std::int64_t>(0, duration / std::chrono::milliseconds(1));
  return bin_of_milliseconds(std::min(static_cast<std::uint64_t>(milliseconds), kLongestMilliseconds));
}

void DurationHistogram::add(std::size_t bin, std::uint64_t count) {
  total_ += count;
  for (std::size_t node = bin + 1; node < tree_.size(); node += node & -node) tree_[node] += count;
}

std::uint64_t DurationHistogram::below(std::size_t bin) const {
  std::uint64_t sum = 0;
  for (std::size_t node = bin; node > 0; node &= node - 1) sum += tree_[node];
  return sum;
}

DurationHistogram::Rank DurationHistogram::rank(Duration duration) const {
  const std::size_t bin = bin_of(duration);
  const std::uint64_t shorter = below(bin);
  const std::uint64_t not_longer = below(bin + 1);
  return {.longer = total_ - not_longer, .alike = not_longer - shorter};
}

std::vector<std::uint64_t> DurationHistogram::counts() const {
  std::vector<std::uint64_t> counts;
  for (std::size_t bin = 0; bin < kBins && below(bin) < total_; ++bin) {
    counts.push_back(below(bin + 1) - below(bin));
  }
  return counts;
}

}  // namespace shardmill::deal
