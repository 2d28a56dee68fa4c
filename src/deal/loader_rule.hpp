// Loader rules: which shards of a list each training rank reads, and each loader worker of a rank. PlanFor:
// the training that shards are made for, in which all ranks take the same number of steps.
// PythonRandom: the numbers of Python's random.Random(seed), with which loaders shuffle their lists.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::deal {

enum class Loader { wenet, wenet_old, webdataset, nemo, lhotse };

inline constexpr std::array kAllLoaders{Loader::wenet, Loader::wenet_old, Loader::webdataset, Loader::nemo,
                                        Loader::lhotse};

/// "wenet", "wenet-old", "webdataset", "nemo", "lhotse".
std::string_view name(Loader loader);
std::optional<Loader> loader_by_name(std::string_view name);

/// The processes that read one dataset together. Both numbers are at least 1.
struct Team {
  std::size_t world_size = 1;  // ranks
  std::size_t workers = 1;     // loader processes of each rank
};

/// Shards, as their places in the list.
using ShardNumbers = std::vector<std::size_t>;
/// [rank][worker]: what the worker reads, in its order.
using Split = std::vector<std::vector<ShardNumbers>>;

/// 0, 1, ...: the order of the list.
ShardNumbers list_order(std::size_t shards);
/// False when the loader splits the list as it stands, the same in every epoch.
bool shuffles_before_split(Loader loader);
/// The list as the loader has shuffled it when it splits it, in an epoch counted from 0.
ShardNumbers epoch_order(Loader loader, std::size_t shards, std::uint64_t seed, std::uint64_t epoch);

/// True when workers that PyTorch starts again for each epoch (persistent_workers=False, its default) read
/// the shards in the order of the first epoch.
bool repeats_first_order(Loader loader);

/// How the loader splits a list that has this order.
Split split(Loader loader, const ShardNumbers& order, const Team& team);

/// Divides a rank's list among its workers, as all these loaders do: each worker gets every team.workers-th
/// shard, beginning with the worker's number.
std::vector<ShardNumbers> split_among_workers(const ShardNumbers& rank_list, const Team& team);

/// Batches of a fixed number of samples. Where each worker reads as many shards as any other, and all shards
/// hold the same number of samples, all ranks take the same steps under any shuffle. No shards make this so
/// for batches of other kinds.
struct PlanFor {
  Loader loader{};
  std::uint64_t batch_samples = 1;
  std::uint64_t ranks = 1;
  std::uint64_t workers = 1;  // of each rank

  /// What the number of shards must be a multiple of.
  std::uint64_t multiple_of() const { return ranks * workers; }
  /// In an epoch, where all of these samples are in shards as they should be.
  std::uint64_t samples_of_worker(std::uint64_t samples) const { return samples / multiple_of(); }
  /// Of each rank, where all of these samples are in shards as they should be.
  std::uint64_t steps(std::uint64_t samples) const {
    return workers * ((samples_of_worker(samples) + batch_samples - 1) / batch_samples);
  }

  bool operator==(const PlanFor&) const = default;
};

class PythonRandom {
 public:
  /// Seeds like random.Random(seed) of Python 3 with a whole number.
  explicit PythonRandom(std::uint64_t seed);

  /// random.randrange(bound), for a `bound` from 1 to 2^32 - 1.
  std::size_t below(std::size_t bound) {
    // Like Python, draws as many bits as `bound` has until they make a number below it.
    const auto bits = static_cast<unsigned>(std::bit_width(bound));
    for (;;) {
      const std::size_t drawn = next() >> (32 - bits);
      if (drawn < bound) return drawn;
    }
  }

  /// random.shuffle(items).
  template <typename Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[below(i + 1)]);
  }

 private:
  static constexpr std::size_t kWords = 624;

  void seed_with(std::uint32_t number);
  void renew();
  std::uint32_t next() {
    if (used_ == kWords) renew();
    return words_[used_++];
  }

  std::array<std::uint32_t, kWords> state_{};
  std::array<std::uint32_t, kWords> words_{};  // made of the state, to be given
  std::size_t used_ = kWords;
};

}  // namespace shardmill::deal
