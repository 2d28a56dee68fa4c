#include <algorithm>
#include <bit>
#include <utility>

#include "deal/loader_rule.hpp"
#include "deal/steps/stages.hpp"

namespace shardmill::deal::steps {

namespace {

/// Gives back items by their rank among those that are left.
class Remaining {
 public:
  explicit Remaining(std::size_t count) : sums_(count + 1, 0) {
    for (std::size_t i = 1; i <= count; ++i) {
      ++sums_[i];
      if (const std::size_t next = i + (i & -i); next <= count) sums_[next] += sums_[i];
    }
  }

  /// The place of the item that has `rank` others before it. It is not left any more.
  std::size_t take(std::size_t rank) {
    std::size_t place = 0;
    for (std::size_t step = std::bit_floor(sums_.size() - 1); step != 0; step /= 2) {
      if (place + step >= sums_.size() || sums_[place + step] > rank) continue;
      place += step;
      rank -= sums_[place];
    }
    for (std::size_t i = place + 1; i < sums_.size(); i += i & -i) --sums_[i];
    return place;
  }

 private:
  std::vector<std::size_t> sums_;  // a Fenwick tree
};

/// PyTorch's ShufflerIterDataPipe: once the buffer is full, each item takes the place of one that is drawn.
/// At the end they are drawn one after another, and the order of the others stays.
std::vector<double> shuffled_by_torch(std::vector<double> items, std::size_t buffer, std::uint64_t seed) {
  PythonRandom random(seed);
  std::vector<double> held(items.begin(),
                           items.begin() + static_cast<std::ptrdiff_t>(std::min(buffer, items.size())));
  std::size_t out = 0;
  for (std::size_t i = held.size(); i < items.size(); ++i) {
    double& drawn = held[random.below(held.size())];
    const double next = items[i];
    items[out++] = std::exchange(drawn, next);
  }
  Remaining remaining(held.size());
  for (std::size_t left = held.size(); left > 0; --left)
    items[out++] = held[remaining.take(random.below(left))];
  return items;
}

/// WebDataset's shuffle(): gives items as soon as it holds 100, and takes two for each until its buffer is
/// full. What is drawn is replaced by the last one.
template <typename Item>
std::vector<Item> shuffled_by_webdataset(const std::vector<Item>& items, std::size_t buffer,
                                         PythonRandom& random) {
  constexpr std::size_t kInitial = 100;
  const std::size_t enough = std::min(kInitial, buffer);
  std::vector<Item> held;
  std::vector<Item> order;
  order.reserve(items.size());
  const auto draw = [&] {
    Item& drawn = held[random.below(held.size())];
    order.push_back(std::exchange(drawn, held.back()));
    held.pop_back();
  };
  for (std::size_t next = 0; next < items.size();) {
    held.push_back(items[next++]);
    if (held.size() < buffer && next < items.size()) held.push_back(items[next++]);
    if (held.size() >= enough) draw();
  }
  while (!held.empty()) draw();
  return order;
}

/// Calls `change` for each stretch of `size` items, and for the rest.
template <typename Change>
void for_each_stretch(std::vector<double>& items, std::size_t size, Change change) {
  for (std::size_t begin = 0; begin < items.size(); begin += size) {
    const std::size_t end = std::min(items.size(), begin + size);
    change(items.begin() + static_cast<std::ptrdiff_t>(begin),
           items.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

void sort_stretches(std::vector<double>& items, std::size_t size) {
  if (size == 0) return;
  for_each_stretch(items, size, [](auto begin, auto end) { std::sort(begin, end); });
}

/// WeNet up to 3.0.0: random.shuffle() of one buffer after another.
void shuffle_stretches(std::vector<double>& items, std::size_t size, std::uint64_t seed) {
  PythonRandom random(seed);
  for_each_stretch(items, size, [&](auto begin, auto end) {
    for (auto i = end - begin; i-- > 1;)
      std::swap(begin[i], begin[static_cast<std::ptrdiff_t>(random.below(static_cast<std::size_t>(i) + 1))]);
  });
}

std::vector<double> joined(const ShardNumbers& shards, const ShardLengths& lengths, bool in_frames) {
  std::size_t count = 0;
  for (const std::size_t shard : shards) count += lengths[shard].size();
  std::vector<double> all;
  all.reserve(count);
  for (const std::size_t shard : shards) {
    for (const SampleLength& sample : lengths[shard])
      all.push_back(in_frames ? static_cast<double>(sample.frames) : sample.seconds);
  }
  return all;
}

}  // namespace

std::vector<double> sample_order(Loader loader, const ShardNumbers& shards, const Place& place,
                                 const ShardLengths& lengths, const Shuffling& how) {
  constexpr std::size_t kShardBuffer = 100;  // shardshuffle of WebDataset's examples
  const bool shuffles = how.seed && how.shuffle_buffer > 0;
  switch (loader) {
    case Loader::wenet: {
      // PyTorch gives the shufflers of all ranks and workers the same seed.
      std::vector<double> order = joined(shards, lengths, true);
      if (shuffles) order = shuffled_by_torch(std::move(order), how.shuffle_buffer, *how.seed);
      sort_stretches(order, how.sort_buffer);
      return order;
    }
    case Loader::wenet_old: {
      // PyTorch seeds each worker with a number that is the same on all ranks.
      std::vector<double> order = joined(shards, lengths, true);
      if (shuffles) shuffle_stretches(order, how.shuffle_buffer, *how.seed + place.worker);
      sort_stretches(order, how.sort_buffer);
      return order;
    }
    case Loader::webdataset:
    case Loader::nemo: {
      if (!shuffles) return joined(shards, lengths, false);
      // Each worker seeds with its own time and process number.
      PythonRandom random(*how.seed + (place.rank * place.workers + place.worker) * 0x9E3779B9);
      if (loader == Loader::nemo)  // shuffles only shards
        return joined(shuffled_by_webdataset(shards, how.shuffle_buffer, random), lengths, false);
      const ShardNumbers shard_order = shuffled_by_webdataset(shards, kShardBuffer, random);
      return shuffled_by_webdataset(joined(shard_order, lengths, false), how.shuffle_buffer, random);
    }
    case Loader::lhotse:
      break;  // shuffles in its buckets
  }
  return joined(shards, lengths, false);
}

}  // namespace shardmill::deal::steps
