#include "deal/rank_load.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardmill::deal {

Load& Load::operator+=(const Load& other) {
  shards += other.shards;
  samples += other.samples;
  seconds += other.seconds;
  bytes += other.bytes;
  return *this;
}

std::size_t SplitLoad::idlest() const {
  const auto found = std::max_element(ranks.begin(), ranks.end(), [](const RankLoad& a, const RankLoad& b) {
    return a.idle_share < b.idle_share;
  });
  return static_cast<std::size_t>(found - ranks.begin());
}

std::size_t SplitLoad::ranks_without_data() const {
  return static_cast<std::size_t>(std::count_if(
      ranks.begin(), ranks.end(), [](const RankLoad& rank) { return rank.total.samples == 0; }));
}

std::size_t SplitLoad::workers_without_data() const {
  std::ptrdiff_t count = 0;
  for (const RankLoad& rank : ranks) {
    count += std::count_if(rank.workers.begin(), rank.workers.end(),
                           [](const Load& worker) { return worker.samples == 0; });
  }
  return static_cast<std::size_t>(count);
}

SplitLoad weigh(const Split& split, std::span<const Load> shards) {
  SplitLoad result;
  std::vector<bool> is_read(shards.size());
  double most = 0;
  for (const auto& workers : split) {
    RankLoad& rank = result.ranks.emplace_back();
    for (const ShardNumbers& numbers : workers) {
      Load& worker = rank.workers.emplace_back();
      for (const std::size_t number : numbers) {
        worker += shards[number];
        is_read[number] = true;
      }
      rank.total += worker;
    }
    most = std::max(most, rank.total.seconds);
  }
  for (RankLoad& rank : result.ranks) rank.idle_share = most > 0 ? 1 - rank.total.seconds / most : 0;
  for (std::size_t number = 0; number < shards.size(); ++number) {
    if (!is_read[number]) result.unread.push_back(number);
  }
  return result;
}

Load sum(std::span<const Load> shards) {
  Load all;
  for (const Load& shard : shards) all += shard;
  return all;
}

std::vector<RankPace> pace(const Split& split, std::span<const Load> shards,
                           std::span<const double> shard_load_seconds, double needed) {
  std::vector<RankPace> ranks;
  double epoch_seconds = 0;
  for (const auto& workers : split) {
    RankPace& rank = ranks.emplace_back();
    double audio_seconds = 0;
    for (const ShardNumbers& numbers : workers) {
      double worker_seconds = 0;
      for (const std::size_t number : numbers) {
        worker_seconds += shard_load_seconds[number];
        audio_seconds += shards[number].seconds;
      }
      rank.load_seconds = std::max(rank.load_seconds, worker_seconds);
    }
    rank.train_seconds = audio_seconds / needed;
    if (rank.load_seconds > 0) rank.delivered = audio_seconds / rank.load_seconds;
    epoch_seconds = std::max({epoch_seconds, rank.train_seconds, rank.load_seconds});
  }
  for (RankPace& rank : ranks) {
    rank.busy_share = epoch_seconds > 0 ? rank.train_seconds / epoch_seconds : 1;
  }
  return ranks;
}

namespace {

constexpr std::size_t kMostSwaps = 1000;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// Some shards of a list, sorted by duration, the longest last.
struct Bin {
  std::size_t room = kNoLimit;  // how many shards it can take
  ShardNumbers shards{};
  double seconds = 0;
};

class EvenDeal {
 public:
  EvenDeal(std::span<const Load> shards, std::vector<Bin> bins) : shards_(shards), bins_(std::move(bins)) {}

  std::vector<Bin> run(ShardNumbers numbers) {
    std::stable_sort(numbers.begin(), numbers.end(),
                     [this](std::size_t a, std::size_t b) { return seconds(a) > seconds(b); });
    for (const std::size_t number : numbers) put(emptiest_with_room(), number);
    for (Bin& bin : bins_) std::reverse(bin.shards.begin(), bin.shards.end());
    for (std::size_t swaps = 0; swaps < kMostSwaps && swap_once(); ++swaps) {
    }
    return std::move(bins_);
  }

 private:
  double seconds(std::size_t number) const { return shards_[number].seconds; }

  Bin& emptiest_with_room() {
    return *std::min_element(bins_.begin(), bins_.end(), [](const Bin& a, const Bin& b) {
      return std::tuple(a.shards.size() >= a.room, a.seconds, a.shards.size()) <
             std::tuple(b.shards.size() >= b.room, b.seconds, b.shards.size());
    });
  }

  void put(Bin& bin, std::size_t number) {
    bin.shards.push_back(number);
    bin.seconds += seconds(number);
  }

  /// Swaps the pair of shards of the fullest and the emptiest bin whose difference is nearest to half the
  /// gap. False when no swap makes the gap smaller.
  bool swap_once() {
    const auto by_seconds = [](const Bin& a, const Bin& b) { return a.seconds < b.seconds; };
    const auto [emptiest, fullest] = std::minmax_element(bins_.begin(), bins_.end(), by_seconds);
    const double gap = fullest->seconds - emptiest->seconds;
    double best_miss = gap / 2;
    std::size_t* give = nullptr;
    std::size_t* take = nullptr;
    for (std::size_t& from : fullest->shards) {
      std::size_t* const to = nearest(*emptiest, seconds(from) - gap / 2);
      if (to == nullptr) continue;
      const double miss = std::abs(seconds(from) - seconds(*to) - gap / 2);
      if (miss >= best_miss) continue;
      best_miss = miss;
      give = &from;
      take = to;
    }
    // With rounding errors it could otherwise swap the same pair again and again.
    if (give == nullptr || best_miss > gap / 2 * (1 - 1e-9)) return false;
    const double moved = seconds(*give) - seconds(*take);
    std::swap(*give, *take);
    fullest->seconds -= moved;
    emptiest->seconds += moved;
    sort(*fullest);
    sort(*emptiest);
    return true;
  }

  std::size_t* nearest(Bin& bin, double wanted) const {
    const auto above =
        std::lower_bound(bin.shards.begin(), bin.shards.end(), wanted,
                         [this](std::size_t number, double value) { return seconds(number) < value; });
    const auto below = above == bin.shards.begin() ? above : std::prev(above);
    if (above == bin.shards.end()) return bin.shards.empty() ? nullptr : &*below;
    return wanted - seconds(*below) < seconds(*above) - wanted ? &*below : &*above;
  }

  void sort(Bin& bin) const {
    std::stable_sort(bin.shards.begin(), bin.shards.end(),
                     [this](std::size_t a, std::size_t b) { return seconds(a) < seconds(b); });
  }

  std::span<const Load> shards_;
  std::vector<Bin> bins_;
};

/// The numbers of the shards in each bin, in the order of the list.
std::vector<ShardNumbers> numbers_of(std::vector<Bin> bins) {
  std::vector<ShardNumbers> all;
  for (Bin& bin : bins) {
    std::sort(bin.shards.begin(), bin.shards.end());
    all.push_back(std::move(bin.shards));
  }
  return all;
}

std::vector<ShardNumbers> deal_to_workers(std::span<const Load> shards, const ShardNumbers& numbers,
                                          const Team& team) {
  std::vector<Bin> bins(team.workers);
  // Where the number does not divide, a stride gives the first workers one more.
  for (std::size_t worker = 0; worker < team.workers; ++worker) {
    bins[worker].room = (numbers.size() + team.workers - 1 - worker) / team.workers;
  }
  return numbers_of(EvenDeal(shards, std::move(bins)).run(numbers));
}

}  // namespace

Split even_split(std::span<const Load> shards, const Team& team) {
  std::vector<Bin> bins(team.world_size);
  if (shards.size() % team.world_size == 0) {
    for (Bin& bin : bins) bin.room = shards.size() / team.world_size;
  }
  Split ranks;
  for (const ShardNumbers& numbers :
       numbers_of(EvenDeal(shards, std::move(bins)).run(list_order(shards.size())))) {
    ranks.push_back(deal_to_workers(shards, numbers, team));
  }
  return ranks;
}

ShardNumbers rank_list(const std::vector<ShardNumbers>& workers) {
  ShardNumbers list;
  for (std::size_t turn = 0; turn < workers.front().size(); ++turn) {
    for (const ShardNumbers& worker : workers) {
      if (turn < worker.size()) list.push_back(worker[turn]);
    }
  }
  return list;
}

}  // namespace shardmill::deal
