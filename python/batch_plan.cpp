#include "batch_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace shardmill::python {

namespace {

constexpr std::uint64_t kUnshuffledBlock = 1024;       // samples whose lengths are asked for at once
constexpr std::uint64_t kBetweenCheckpoints = 512;     // samples, at least
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // of SplitMix64

std::uint64_t mix(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return hash;
}

void put_number(std::string& text, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) text.push_back(static_cast<char>(number | 0x80));
  text.push_back(static_cast<char>(number));
}

/// Takes a number from the front of the text. Returns nullopt if the text starts with anything else.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 63 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

/// Calls `part(begin, size)` for each part of a batch of `size` samples. Takes from the quota of the halving.
template <typename Part>
void halve(std::uint32_t begin, std::uint32_t size, std::uint32_t rounds, Halving& halving,
           const Part& part) {
  bool splits = size > 1;
  if (rounds == 0) {
    const bool is_chosen = halving.threshold > 1 && size == halving.threshold && halving.quota > 0;
    if (is_chosen) --halving.quota;
    splits = is_chosen || (halving.threshold > 1 && size > halving.threshold);
  }
  if (!splits) {
    part(begin, size);
  } else if (rounds == 0) {
    part(begin, size / 2);
    part(begin + size / 2, size - size / 2);
  } else {
    halve(begin, size / 2, rounds - 1, halving, part);
    halve(begin + size / 2, size - size / 2, rounds - 1, halving, part);
  }
}

}  // namespace

std::vector<std::uint32_t> shuffled(std::string_view seed, std::uint64_t number, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t state = hash_of(seed) + mix(number * kGolden);
  for (std::uint64_t left = count; left > 1; --left) {
    state += kGolden;
    __extension__ using Wide = unsigned __int128;
    const auto chosen = static_cast<std::size_t>((Wide{mix(state)} * left) >> 64);
    std::swap(order[static_cast<std::size_t>(left - 1)], order[chosen]);
  }
  return order;
}

BatchPlan::BatchPlan(Lane lane)
    : lane_(std::move(lane)),
      block_size_(lane_.buffer > 1 ? lane_.buffer : kUnshuffledBlock),
      open_(lane_.bounds.size() + 1) {}

std::map<std::uint32_t, std::uint64_t> BatchPlan::survey() {
  const Checkpoint start{.first = 0, .number = 0, .quota = 0, .open = std::string(open_.size(), '\0')};
  begin({}, start);
  sizes_.clear();
  places_.assign(1, {.whole_batches = 0, .checkpoint = start});
  is_survey_ = true;
  std::map<std::uint32_t, std::uint64_t> counts;
  while (const std::optional<Batch> batch = next_whole()) {
    sizes_.push_back(static_cast<std::uint32_t>(batch->size()));
    ++counts[sizes_.back()];
  }
  is_survey_ = false;
  return counts;
}

std::uint64_t BatchPlan::settle(const Halving& halving) {
  halving_ = halving;
  Halving left = halving;
  std::uint64_t number = 0;
  std::size_t whole = 0;
  const auto count_to = [&](std::size_t end) {
    for (; whole < end; ++whole)
      halve(0, sizes_[whole], left.rounds, left, [&](std::uint32_t, std::uint32_t) { ++number; });
  };
  for (Place& place : places_) {
    count_to(place.whole_batches);
    place.checkpoint.number = number;
    place.checkpoint.quota = left.quota;
  }
  count_to(sizes_.size());
  return number;
}

const Checkpoint& BatchPlan::checkpoint(std::uint64_t number) const {
  const auto after = std::upper_bound(
      places_.begin(), places_.end(), number,
      [](std::uint64_t wanted, const Place& place) { return wanted < place.checkpoint.number; });
  return std::prev(after)->checkpoint;
}

std::uint64_t BatchPlan::samples_from(std::uint64_t number) const {
  Halving left = halving_;
  std::uint64_t at = 0;
  std::uint64_t samples = 0;
  for (const std::uint32_t whole : sizes_)
    halve(0, whole, left.rounds, left,
          [&](std::uint32_t, std::uint32_t size) { samples += at++ < number ? 0 : size; });
  return samples;
}

bool BatchPlan::begin(const Halving& halving, const Checkpoint& checkpoint) {
  if (checkpoint.first > lane_.samples || checkpoint.first % block_size_ != 0) return false;
  halving_ = halving;
  halving_.quota = checkpoint.quota;
  parts_.clear();
  order_.clear();
  inside_ = 0;
  closing_ = 0;
  block_ = checkpoint.first / block_size_;
  return take_open_text(checkpoint.open);
}

BatchPlan::Batch BatchPlan::open_places() const {
  Batch places;
  for (const Open& open : open_) places.insert(places.end(), open.places.begin(), open.places.end());
  return places;
}

std::optional<BatchPlan::Batch> BatchPlan::next() {
  if (parts_.empty()) {
    const std::optional<Batch> whole = next_whole();
    if (!whole) return std::nullopt;
    halve(0, static_cast<std::uint32_t>(whole->size()), halving_.rounds, halving_,
          [&](std::uint32_t begin, std::uint32_t size) {
            parts_.emplace_back(whole->begin() + begin, whole->begin() + begin + size);
          });
  }
  Batch part = std::move(parts_.front());
  parts_.pop_front();
  return part;
}

std::optional<BatchPlan::Batch> BatchPlan::next_whole() {
  while (inside_ < order_.size() || block_ < blocks()) {
    if (inside_ == order_.size()) begin_block();
    const std::uint32_t number = order_[inside_++];
    if (std::optional<Batch> full = add(first_ + number, lengths_[number])) return full;
  }
  for (; closing_ < open_.size(); ++closing_) {
    if (!open_[closing_].places.empty()) return std::exchange(open_[closing_].places, {});
  }
  return std::nullopt;
}

/// Returns the batch that must be closed before this sample.
std::optional<BatchPlan::Batch> BatchPlan::add(std::uint32_t place, std::uint64_t length) {
  const auto bucket =
      std::upper_bound(lane_.bounds.begin(), lane_.bounds.end(), length) - lane_.bounds.begin();
  Open& open = open_[static_cast<std::size_t>(bucket)];
  std::optional<Batch> full;
  if (!open.places.empty() && (open.places.size() + 1) * std::max(open.longest, length) > lane_.frames) {
    full = std::exchange(open.places, {});
    open.longest = 0;
  }
  open.places.push_back(place);
  open.longest = std::max(open.longest, length);
  return full;
}

void BatchPlan::begin_block() {
  const std::uint64_t between = std::max<std::uint64_t>(1, kBetweenCheckpoints / block_size_);
  if (is_survey_ && block_ > 0 && block_ % between == 0)
    places_.push_back(
        {.whole_batches = sizes_.size(),
         .checkpoint = {.first = block_ * block_size_, .number = 0, .quota = 0, .open = open_text()}});
  first_ = static_cast<std::uint32_t>(block_ * block_size_);
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_size_, lane_.samples - first_));
  if (lane_.buffer > 1) {
    order_ = shuffled(lane_.seed, block_, count);
  } else {
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0U);
  }
  lengths_ = lane_.lengths(first_, count);
  inside_ = 0;
  ++block_;
}

/// For each bucket: the number of samples, the longest, and how far each is before the next block.
std::string BatchPlan::open_text() const {
  std::string text;
  for (const Open& open : open_) {
    put_number(text, open.places.size());
    if (open.places.empty()) continue;
    put_number(text, open.longest);
    for (const std::uint32_t place : open.places) put_number(text, block_ * block_size_ - place);
  }
  return text;
}

bool BatchPlan::take_open_text(std::string_view text) {
  const std::uint64_t end = std::min<std::uint64_t>(block_ * block_size_, lane_.samples);
  for (Open& open : open_) {
    open = {};
    const std::optional<std::uint64_t> count = take_number(text);
    if (!count || *count > text.size()) return false;
    if (*count == 0) continue;
    const std::optional<std::uint64_t> longest = take_number(text);
    if (!longest || *longest > std::numeric_limits<std::uint32_t>::max()) return false;
    open.longest = *longest;
    for (std::uint64_t each = 0; each < *count; ++each) {
      const std::optional<std::uint64_t> before = take_number(text);
      if (!before || *before == 0 || *before > block_ * block_size_ || block_ * block_size_ - *before >= end)
        return false;
      open.places.push_back(static_cast<std::uint32_t>(block_ * block_size_ - *before));
    }
  }
  return text.empty();
}

}  // namespace shardmill::python
