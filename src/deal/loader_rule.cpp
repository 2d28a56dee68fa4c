#include "deal/loader_rule.hpp"

#include <algorithm>
#include <numeric>

namespace shardmill::deal {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, kAllLoaders.size()> kNames{"wenet", "wenet-old", "webdataset", "nemo",
                                                                  "lhotse"};

ShardNumbers strided(const ShardNumbers& order, std::size_t first, std::size_t step) {
  ShardNumbers taken;
  for (std::size_t i = first; i < order.size(); i += step) taken.push_back(order[i]);
  return taken;
}

/// WeNet from 3.0.1 on (wenet/dataset/datapipes.py, WenetTarShardDatasetSource): the list (shuffled since
/// 3.1) goes through PyTorch's ShardingFilterIterDataPipe, which gives line i to instance i mod (W x K).
/// DataLoader (_sharding_worker_init_fn) makes worker k of rank r the instance k x W + r. Here an epoch is
/// one pass through the list. With `cycle: n` WeNet splits n passes as one list, so other ranks get the
/// remainder each time.
Split split_wenet(const ShardNumbers& order, const Team& team) {
  Split ranks(team.world_size, std::vector<ShardNumbers>(team.workers));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t instance = i % (team.world_size * team.workers);
    ranks[instance % team.world_size][instance / team.world_size].push_back(order[i]);
  }
  return ranks;
}

/// Splits by rank, then by worker, each with a stride. When the numbers do not divide, some get one shard
/// more. WeNet 2.0 to 3.0.0 (wenet/dataset/dataset.py, DistributedSampler.sample; later under deprecated/):
///   data[rank::world_size], then [worker_id::num_workers];
/// WebDataset 0.2 to 1.0 (webdataset/shardlists.py, split_by_node and split_by_worker): islice with the same
///   strides; without nodesplitter=split_by_node the class WebDataset refuses to work on several ranks;
/// Lhotse from 1.8 on (lhotse/shar/readers/lazy.py, LazySharIterator with split_for_dataloading=True): the
///   same as WebDataset. Without that option nothing is split: every worker reads everything in its own
///   order, as NeMo's LazyNeMoTarredIterator does, and neither has epochs that could be uneven.
Split split_by_strides(const ShardNumbers& order, const Team& team) {
  Split ranks;
  for (std::size_t rank = 0; rank < team.world_size; ++rank) {
    ranks.push_back(split_among_workers(strided(order, rank, team.world_size), team));
  }
  return ranks;
}

/// NeMo (nemo/collections/asr/data/audio_to_text.py, expand_sharded_filepaths, shard_strategy 'scatter'):
/// rank r has shards [r x b, (r + 1) x b), where b = n / W rounded down; no rank reads the rest. Among
/// workers webdataset_split_by_workers splits with a stride.
Split split_nemo(const ShardNumbers& order, const Team& team) {
  const std::size_t block = order.size() / team.world_size;
  Split ranks;
  for (std::size_t rank = 0; rank < team.world_size; ++rank) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(rank * block);
    const ShardNumbers rank_list(begin, begin + static_cast<std::ptrdiff_t>(block));
    ranks.push_back(split_among_workers(rank_list, team));
  }
  return ranks;
}

/// PyTorch's ShufflerIterDataPipe with a buffer that holds the whole list (WeNet's default) draws one line
/// after another. Its seed comes from PyTorch's generator, which is the same on all ranks; here it is seed +
/// epoch.
ShardNumbers drawn_by_torch(ShardNumbers list, std::uint64_t seed) {
  PythonRandom random(seed);
  ShardNumbers order;
  while (!list.empty()) {
    const auto drawn = list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size()));
    order.push_back(*drawn);
    list.erase(drawn);
  }
  return order;
}

ShardNumbers shuffled_by_python(ShardNumbers list, std::uint64_t seed) {
  PythonRandom(seed).shuffle(list);
  return list;
}

}  // namespace

std::string_view name(Loader loader) {
  return kNames.at(static_cast<std::size_t>(loader));
}

std::optional<Loader> loader_by_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Loader>(std::distance(kNames.begin(), found));
}

ShardNumbers list_order(std::size_t shards) {
  ShardNumbers order(shards);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

bool shuffles_before_split(Loader loader) {
  return loader == Loader::wenet || loader == Loader::wenet_old || loader == Loader::lhotse;
}

ShardNumbers epoch_order(Loader loader, std::size_t shards, std::uint64_t seed, std::uint64_t epoch) {
  ShardNumbers list = list_order(shards);
  switch (loader) {
    case Loader::wenet:
      return drawn_by_torch(std::move(list), seed + epoch);
    case Loader::wenet_old:
      return shuffled_by_python(std::move(list), epoch);  // random.Random(epoch), whatever the seed
    case Loader::lhotse:
      return shuffled_by_python(std::move(list), seed + epoch);
    case Loader::webdataset:
    case Loader::nemo:
      break;  // each worker shuffles only its own shards
  }
  return list;
}

/// LazySharIterator counts its epochs itself, in the copy of it that a worker has; it has no set_epoch().
bool repeats_first_order(Loader loader) {
  return loader == Loader::lhotse;
}

Split split(Loader loader, const ShardNumbers& order, const Team& team) {
  switch (loader) {
    case Loader::wenet:
      return split_wenet(order, team);
    case Loader::nemo:
      return split_nemo(order, team);
    case Loader::wenet_old:
    case Loader::webdataset:
    case Loader::lhotse:
      break;
  }
  return split_by_strides(order, team);
}

std::vector<ShardNumbers> split_among_workers(const ShardNumbers& rank_list, const Team& team) {
  std::vector<ShardNumbers> workers;
  for (std::size_t worker = 0; worker < team.workers; ++worker) {
    workers.push_back(strided(rank_list, worker, team.workers));
  }
  return workers;
}

// The Mersenne Twister MT19937, seeded by an array as its authors Matsumoto and Nishimura do it.

PythonRandom::PythonRandom(std::uint64_t seed) {
  constexpr std::uint32_t kArraySeed = 19650218;
  const auto low = static_cast<std::uint32_t>(seed);
  const auto high = static_cast<std::uint32_t>(seed >> 32);
  const std::array<std::uint32_t, 2> key{low, high};
  const std::size_t key_words = high == 0 ? 1 : 2;

  seed_with(kArraySeed);
  std::size_t i = 1;
  const auto mixed = [&](std::uint32_t factor) {
    return state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * factor);
  };
  const auto step = [&] {
    if (++i < kWords) return;
    state_[0] = state_[kWords - 1];
    i = 1;
  };
  for (std::size_t round = 0; round < kWords; ++round) {
    const std::size_t j = round % key_words;
    state_[i] = mixed(1664525) + key[j] + static_cast<std::uint32_t>(j);
    step();
  }
  for (std::size_t round = 1; round < kWords; ++round) {
    state_[i] = mixed(1566083941) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000;
}

void PythonRandom::seed_with(std::uint32_t number) {
  state_[0] = number;
  for (std::uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253 * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

void PythonRandom::renew() {
  constexpr std::size_t kShift = 397;
  const auto renew_word = [this](std::size_t i, std::size_t next, std::size_t far) {
    const std::uint32_t both = (state_[i] & 0x80000000) | (state_[next] & 0x7FFFFFFF);
    state_[i] = state_[far] ^ (both >> 1) ^ ((0 - (both & 1)) & 0x9908B0DF);
  };
  std::size_t i = 0;
  for (; i < kWords - kShift; ++i) renew_word(i, i + 1, i + kShift);
  for (; i < kWords - 1; ++i) renew_word(i, i + 1, i + kShift - kWords);
  renew_word(i, 0, i + kShift - kWords);
  for (std::size_t word = 0; word < kWords; ++word) {
    std::uint32_t bits = state_[word];
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9D2C5680;
    bits ^= (bits << 15) & 0xEFC60000;
    words_[word] = bits ^ (bits >> 18);
  }
  used_ = 0;
}

}  // namespace shardmill::deal
