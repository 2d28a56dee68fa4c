#include "update/decision.hpp"

#include <algorithm>
#include <utility>

#include "base/io/file.hpp"
#include "manifest/layout.hpp"
#include "update/arrangement.hpp"

namespace shardmill::update {

namespace {

void open_shard(const Request& request, std::uint32_t shard, Stock& stock) {
  if (stock.holds_shard(shard)) return;
  stock.add({.tar = request.records.path((*request.records.shards)[shard].path),
             .manifest = manifest_path(request.records, shard),
             .shard = shard},
            request.removed_samples());
}

class Deciding {
 public:
  Deciding(const Request& request, const Facts& facts, Stock& stock, const Expected& expected)
      : request_(request), facts_(facts), stock_(stock), expected_(expected) {}

  Decision run() {
    if (facts_.keys->size() == 0 && free_samples().empty())
      throw Error("no sample would be left", at(request_.options.folder), "nothing was changed");
    const std::vector<deal::HeldSample> free = free_samples();
    try {
      return carried_out(arrange(old_shards(), free, wishes(), [this](std::uint32_t shard) {
        open_shard(request_, shard, stock_);
        std::vector<deal::HeldSample> samples;
        for (const std::uint32_t i : stock_.samples_of_shard(shard))
          samples.push_back(stock_.samples()[i].held);
        return samples;
      }));
    } catch (const TooFewSamples& error) {
      throw Error(error.problem(), at(request_.options.folder),
                  "nothing was changed; shardmill repack makes a dataset with fewer shards of this one");
    }
  }

 private:
  Wishes wishes() const {
    const manifest::DatasetRecord& dataset = *request_.records.dataset;
    return {.mix = request_.options.mix,
            .equal = request_.recipe.even != deal::Even::off,
            .multiple_of = request_.recipe.sizing.multiple_of,
            .shard_samples = static_cast<double>(dataset.samples) / static_cast<double>(dataset.shards),
            .free_bytes = free_bytes(),
            .limit = request_.options.rewrite_limit};
  }

  std::uint64_t free_bytes() const {
    std::uint64_t bytes = expected_.bytes;
    for (const Store& store : stock_.stores()) {
      if (store.shard == kNoShard) bytes += base::File::open_read(store.tar).size();
    }
    return bytes;
  }

  /// Samples of the stock that are in no shard, then the expected ones.
  std::vector<deal::HeldSample> free_samples() {
    std::vector<deal::HeldSample> free;
    free_.clear();
    for (std::uint32_t i = 0; i < stock_.samples().size(); ++i) {
      const StockSample& sample = stock_.samples()[i];
      if (sample.is_removed || stock_.stores()[sample.store].shard != kNoShard) continue;
      free_.push_back(i);
      free.push_back(sample.held);
    }
    free.insert(free.end(), expected_.samples.begin(), expected_.samples.end());
    return free;
  }

  std::vector<OldShard> old_shards() const {
    std::vector<OldShard> old;
    for (std::uint32_t number = 0; number < facts_.shards.size(); ++number) {
      OldShard& shard = old.emplace_back();
      shard.bytes = (*request_.records.shards)[number].tar_bytes;
      for (const std::string& name : stock_.datasets()) {
        const auto found = facts_.shards[number].datasets.find(name);
        const bool has_some = found != facts_.shards[number].datasets.end();
        shard.counts.push_back(has_some ? found->second.samples : 0);
        if (has_some) shard.time += found->second.duration;
      }
    }
    for (const std::uint32_t number : facts_.with_removed) old[number].has_lost = true;
    for (const StockSample& sample : stock_.samples()) {
      const std::uint32_t number = stock_.stores()[sample.store].shard;
      if (!sample.is_removed || number == kNoShard) continue;
      --old[number].counts[sample.held.dataset];
      old[number].time -= sample.held.duration;
    }
    return old;
  }

  Decision carried_out(const Arrangement& arrangement) {
    Decision decision{.shards = arrangement.shards,
                      .shard_of = std::vector<std::uint32_t>(stock_.samples().size(), kNoShard),
                      .changed = {},
                      .waiting = arrangement.waiting()};
    for (std::size_t i = 0; i < free_.size(); ++i) decision.shard_of[free_[i]] = arrangement.free_to[i];
    std::vector<bool> is_opened(request_.old_shards(), false);
    std::size_t next = 0;
    for (const std::uint32_t shard : arrangement.opened) {
      is_opened[shard] = true;
      for (const std::uint32_t i : stock_.samples_of_shard(shard))
        decision.shard_of[i] = arrangement.opened_to[next++];
    }
    // Shards that were opened for an attempt that failed stay as they are.
    for (std::size_t i = 0; i < stock_.samples().size(); ++i) {
      const std::uint32_t shard = stock_.stores()[stock_.samples()[i].store].shard;
      if (shard != kNoShard && !is_opened[shard]) decision.shard_of[i] = shard;
    }
    for (std::uint32_t shard = 0; shard < decision.shards; ++shard)
      decision.changed.push_back(shard >= request_.old_shards() || is_opened[shard]);
    return decision;
  }

  const Request& request_;
  const Facts& facts_;
  Stock& stock_;
  const Expected& expected_;
  std::vector<std::uint32_t> free_;  // samples of the stock that are in no shard
};

}  // namespace

Stock first_stock(const Request& request, const Facts& facts, const std::optional<Staged>& staged) {
  Stock stock(request.dataset_names());
  if (request.records.dataset->pending) {
    stock.add({.tar = request.records.path(manifest::kPendingTar),
               .manifest = request.records.path(manifest::kPendingManifest)},
              request.removed_samples());
  }
  if (staged) stock.add({.tar = staged->tar, .manifest = staged->manifest, .is_new = true}, nullptr);
  for (const std::uint32_t shard : facts.with_removed) open_shard(request, shard, stock);
  return stock;
}

Decision decide(const Request& request, const Facts& facts, Stock& stock, const Expected& expected) {
  return Deciding(request, facts, stock, expected).run();
}

}  // namespace shardmill::update
