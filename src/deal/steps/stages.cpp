#include "deal/steps/stages.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "deal/loader_rule.hpp"

namespace shardmill::deal::steps {

namespace {

/// Lhotse (dataset/sampling/base.py, TimeConstraint): a batch is full when one more sample as long as its
/// longest would exceed the limit.
class Fullness {
 public:
  explicit Fullness(double most_seconds) : most_seconds_(most_seconds) {}

  void add(double seconds) {
    longest_ = std::max(longest_, seconds);
    count_ += 1;
  }
  bool is_full() const { return (count_ + 1) * longest_ > most_seconds_; }
  double padded() const { return longest_ * count_; }

 private:
  double most_seconds_;
  double longest_ = 0;
  double count_ = 0;
};

/// Lhotse (dataset/sampling/dynamic_bucketing.py, DynamicBucketer), with sync_buckets and without drop_last.
class Bucketer {
 public:
  Bucketer(const std::vector<double>& seconds, const Buckets& how)
      : seconds_(seconds),
        how_(how),
        buckets_(how.bins.size() + 1),
        bucket_random_(kBucketSeed + how.worker),
        random_(how.seed.value_or(0)) {}

  Batches run() {
    Batches batches{.lengths = {},
                    .filled = std::accumulate(seconds_.begin(), seconds_.end(), 0.0),
                    .samples = seconds_.size()};
    fill(how_.buffer);
    while (const auto bucket = choose()) {
      const auto [padded, count] = draw(buckets_[*bucket]);
      batches.lengths.push_back(padded);
      fill(count);
    }
    return batches;
  }

 private:
  static constexpr std::uint64_t kBucketSeed = 1234;
  using Bucket = std::vector<double>;

  void fill(std::size_t count) {
    for (; count > 0 && next_ < seconds_.size(); --count, ++next_) {
      const double seconds = seconds_[next_];
      const auto bin = std::lower_bound(how_.bins.begin(), how_.bins.end(), seconds);
      buckets_[static_cast<std::size_t>(bin - how_.bins.begin())].push_back(seconds);
    }
  }

  bool is_ready(const Bucket& bucket) const {
    Fullness batch(how_.most_seconds);
    for (const double seconds : bucket) {
      batch.add(seconds);
      if (batch.is_full()) return true;
    }
    return false;
  }

  /// One number is drawn for each batch, whatever becomes of it.
  std::optional<std::size_t> choose() {
    const std::size_t drawn = bucket_random_.below(buckets_.size());
    const auto ready = nearest(drawn, [this](const Bucket& bucket) { return is_ready(bucket); });
    return ready ? ready : nearest(drawn, [](const Bucket& bucket) { return !bucket.empty(); });
  }

  /// The first that is good of `begin`, the one before it, the one after it, and so on.
  template <typename Good>
  std::optional<std::size_t> nearest(std::size_t begin, Good good) const {
    const std::size_t count = buckets_.size();
    for (std::size_t away = 0; away < count; ++away) {
      if (away <= begin && good(buckets_[begin - away])) return begin - away;
      if (away > 0 && begin + away < count && good(buckets_[begin + away])) return begin + away;
    }
    return std::nullopt;
  }

  /// Takes a batch out of the bucket: its length with padding, and its samples.
  std::pair<double, std::size_t> draw(Bucket& bucket) {
    std::vector<std::uint32_t>& order = order_;
    order.resize(bucket.size());
    std::iota(order.begin(), order.end(), 0U);
    if (how_.seed) random_.shuffle(order);
    Fullness batch(how_.most_seconds);
    std::size_t count = 0;
    while (count < order.size() && !batch.is_full()) {
      batch.add(bucket[order[count]]);
      ++count;
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    remove(bucket, order, count);
    return {batch.padded(), count};
  }

  /// Removes the samples at the first `count` of `places`, which are sorted.
  static void remove(Bucket& bucket, const std::vector<std::uint32_t>& places, std::size_t count) {
    std::size_t next = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      if (next < count && places[next] == i) {
        ++next;
      } else {
        bucket[kept++] = bucket[i];
      }
    }
    bucket.resize(kept);
  }

  const std::vector<double>& seconds_;
  const Buckets& how_;
  std::vector<Bucket> buckets_;
  PythonRandom bucket_random_;
  PythonRandom random_;
  std::vector<std::uint32_t> order_;  // of the bucket that is drawn from
  std::size_t next_ = 0;              // sample
};

}  // namespace

Batches batches_from_buckets(const std::vector<double>& seconds, const Buckets& how) {
  return Bucketer(seconds, how).run();
}

namespace {

/// Of samples that are batched one after another, whatever the rule.
Batches begin(const std::vector<double>& order) {
  return {.lengths = {}, .filled = std::accumulate(order.begin(), order.end(), 0.0), .samples = order.size()};
}

}  // namespace

Batches groups_of(const std::vector<double>& order, std::size_t size) {
  Batches batches = begin(order);
  for (std::size_t first = 0; first < order.size(); first += size) {
    const std::size_t count = std::min(size, order.size() - first);
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
    const double longest = *std::max_element(from, from + static_cast<std::ptrdiff_t>(count));
    batches.lengths.push_back(longest * static_cast<double>(count));
  }
  return batches;
}

Batches groups_up_to(const std::vector<double>& order, double most) {
  double longest = 0;
  return groups_up_to(order, most, longest);
}

Batches groups_up_to(const std::vector<double>& order, double most, double& longest) {
  Batches batches = begin(order);
  double longest_here = 0;  // of this batch alone, to which it is padded
  double count = 0;
  const auto end = [&] {
    if (count > 0) batches.lengths.push_back(longest_here * count);
    longest_here = 0;
    count = 0;
  };
  for (const double length : order) {
    longest = std::max(longest, length);
    if (longest * (count + 1) > most) {
      end();
      longest = length;
    }
    longest_here = std::max(longest_here, length);
    ++count;
  }
  end();
  return batches;
}

namespace {

/// The batches that are begun, as PyTorch's Grouper holds them.
class Groups {
 public:
  Groups(const std::vector<double>& bins, const std::vector<std::size_t>& sizes)
      : bins_(bins), sizes_(sizes), groups_(sizes.size()) {}

  void take(double length, std::vector<double>& complete) {
    const auto bin = std::upper_bound(bins_.begin(), bins_.end(), length);
    const auto number = static_cast<std::size_t>(bin - bins_.begin());
    Group& group = groups_[number];
    if (group.samples == 0) begun_.push_back(number);
    ++group.samples;
    group.longest = std::max(group.longest, length);
    ++held_;
    if (group.samples == sizes_[number]) end(number, complete);
    if (held_ == kMostHeld) end(largest(), complete);
  }

  void end_all(std::vector<double>& complete) {
    while (!begun_.empty()) end(begun_.front(), complete);
  }

 private:
  static constexpr std::size_t kMostHeld = 10000;  // samples
  struct Group {
    std::size_t samples = 0;
    double longest = 0;
  };

  void end(std::size_t number, std::vector<double>& complete) {
    Group& group = groups_[number];
    complete.push_back(group.longest * static_cast<double>(group.samples));
    held_ -= group.samples;
    group = {};
    std::erase(begun_, number);
  }

  /// Of equals the one that was begun first.
  std::size_t largest() const {
    return *std::max_element(begun_.begin(), begun_.end(), [this](std::size_t a, std::size_t b) {
      return groups_[a].samples < groups_[b].samples;
    });
  }

  const std::vector<double>& bins_;
  const std::vector<std::size_t>& sizes_;
  std::vector<Group> groups_;
  std::vector<std::size_t> begun_;  // numbers of groups that hold samples, in their order
  std::size_t held_ = 0;
};

}  // namespace

Batches groups_by_length(const std::vector<double>& order, const std::vector<double>& bins,
                         const std::vector<std::size_t>& sizes) {
  Batches batches = begin(order);
  Groups groups(bins, sizes);
  for (const double length : order) groups.take(length, batches.lengths);
  groups.end_all(batches.lengths);
  return batches;
}

}  // namespace shardmill::deal::steps
