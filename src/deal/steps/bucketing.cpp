#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "deal/python_random.hpp"
#include "deal/steps/stages.hpp"

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

}  // namespace shardmill::deal::steps
