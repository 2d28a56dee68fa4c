#include "update/decision.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "manifest/layout.hpp"
#include "update/arrangement.hpp"

namespace shardmill::update {

namespace {

using deal::kNoShard;

std::vector<OldShard> old_shards(const Facts& facts, const std::vector<std::string>& names) {
  std::vector<OldShard> old;
  for (const check::ShardContents& contents : facts.shards) {
    OldShard& shard = old.emplace_back();
    for (const std::string& name : names) {
      const auto found = contents.datasets.find(name);
      const bool has_some = found != contents.datasets.end();
      shard.counts.push_back(has_some ? static_cast<std::uint32_t>(found->second.samples) : 0);
      if (has_some) shard.time += found->second.duration;
    }
  }
  return old;
}

void open_shard(const Request& request, std::uint32_t shard, Stock& stock) {
  if (stock.holds_shard(shard)) return;
  stock.add({.tar = request.records.path((*request.records.shards)[shard].path),
             .manifest = manifest_path(request.records, shard),
             .shard = shard},
            request.removed_keys());
}

bool has_waiting(const Arrangement& arrangement) {
  return std::find(arrangement.shard_of.begin(), arrangement.shard_of.end(), kNoShard) !=
         arrangement.shard_of.end();
}

class Deciding {
 public:
  Deciding(const Request& request, const Facts& facts, Stock& stock)
      : request_(request), facts_(facts), stock_(stock), old_(old_shards(facts, stock.datasets())) {}

  Decision run() {
    const Arrangement arrangement = arrangement_of_all();
    Decision decision{.shards = arrangement.shards,
                      .shard_of = std::vector<std::uint32_t>(stock_.samples().size(), kNoShard),
                      .changed = {}};
    for (std::size_t i = 0; i < movable_.size(); ++i)
      decision.shard_of[movable_[i]] = arrangement.shard_of[i];
    decision.changed = changed_by(decision);
    return decision;
  }

 private:
  /// Shards of the dataset as it was, and those that are whole already.
  std::uint32_t filled_shards() const { return static_cast<std::uint32_t>(facts_.shards.size()); }

  Equal equal() const { return request_.recipe.even == deal::Even::off ? Equal::nearly : Equal::exactly; }

  void open_all() {
    for (std::uint32_t shard = 0; shard < request_.old_shards(); ++shard) open_shard(request_, shard, stock_);
  }

  /// What can be moved, and in `movable_` which samples of the stock that is.
  std::vector<Movable> movables() {
    std::vector<Movable> movables;
    movable_.clear();
    for (std::uint32_t i = 0; i < stock_.samples().size(); ++i) {
      const StockSample& sample = stock_.samples()[i];
      if (sample.is_removed) continue;
      movable_.push_back(i);
      movables.push_back({.sample = sample.held, .shard = stock_.stores()[sample.store].shard});
    }
    if (movables.empty() && facts_.keys->size() == 0)
      throw Error("no sample would be left", at(request_.options.folder), "nothing was changed");
    return movables;
  }

  Arrangement arrangement_of_all() {
    std::optional<Arrangement> found;
    if (request_.options.rest != Rest::remix) found = arrangement_of_some();
    if (!found) return remixed();  // No shard could stay as it is.
    if (request_.options.rest == Rest::spread && has_waiting(*found)) return spread_out(*std::move(found));
    return *std::move(found);
  }

  /// With as many shards as can stay as they are; nullopt where none can.
  std::optional<Arrangement> arrangement_of_some() {
    for (std::uint32_t left = filled_shards(); left != 0;) {
      std::vector<std::uint32_t> open;
      for (const std::uint32_t shard : facts_.with_removed) {
        if (shard < left) open.push_back(shard);
      }
      if (auto found = arrange(old_, left, open, movables())) return found;
      // The samples of the last shard fill the others.
      open_shard(request_, --left, stock_);
    }
    return std::nullopt;
  }

  Arrangement remixed() {
    open_all();
    const std::uint64_t mean =
        std::max<std::uint64_t>(1, request_.records.dataset->samples / request_.old_shards());
    return remix(movables(), stock_.datasets().size(), mean, equal());
  }

  /// The samples that wait go to all shards.
  Arrangement spread_out(Arrangement&& found) {
    open_all();
    const auto all = movables();
    for (std::size_t i = found.shard_of.size(); i < all.size(); ++i) found.shard_of.push_back(all[i].shard);
    return spread(found, all, stock_.datasets().size(), equal());
  }

  std::vector<bool> changed_by(const Decision& decision) const {
    std::vector<bool> changed(std::max(decision.shards, filled_shards()), false);
    for (std::uint32_t shard = filled_shards(); shard < changed.size(); ++shard) changed[shard] = true;
    for (std::size_t i = 0; i < decision.shard_of.size(); ++i) {
      const StockSample& sample = stock_.samples()[i];
      const std::uint32_t was = stock_.stores()[sample.store].shard;
      const std::uint32_t is = decision.shard_of[i];
      if (was == is && !sample.is_removed) continue;
      if (was != kNoShard) changed[was] = true;
      if (is != kNoShard) changed[is] = true;
    }
    changed.resize(decision.shards);
    return changed;
  }

  const Request& request_;
  const Facts& facts_;
  Stock& stock_;
  const std::vector<OldShard> old_;
  std::vector<std::uint32_t> movable_;  // samples of the stock that are not removed
};

}  // namespace

Likeness likeness_of(const Facts& facts, const std::vector<std::string>& names) {
  return likeness(old_shards(facts, names));
}

std::optional<NewShards> shards_to_fill(const Request& request, const Facts& facts) {
  if (request.removed || request.options.rest != Rest::waits) return std::nullopt;
  std::vector<std::string> names = request.dataset_names();
  const Likeness like = likeness_of(facts, names);
  NewShards wanted{.first = request.old_shards(),
                   .like = {.counts = {}, .least = like.least, .most = like.most}};
  for (const pipeline::DatasetInput& input : request.plan->inputs.datasets) {
    const auto name = std::find(names.begin(), names.end(), input.name);
    wanted.like.counts.push_back(like.counts[static_cast<std::size_t>(name - names.begin())]);
    name->clear();
  }
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (!names[d].empty() && like.counts[d] != 0) return std::nullopt;
  }
  return wanted;
}

Stock first_stock(const Request& request, const Facts& facts, const std::optional<Staged>& staged) {
  Stock stock(request.dataset_names());
  if (request.records.dataset->pending) {
    stock.add({.tar = request.records.path(manifest::kPendingTar),
               .manifest = request.records.path(manifest::kPendingManifest)},
              request.removed_keys());
  }
  if (staged) {
    for (const Staged::Tar& other : staged->others)
      stock.add({.tar = other.tar, .manifest = other.manifest, .is_new = true}, nullptr);
  }
  for (const std::uint32_t shard : facts.with_removed) open_shard(request, shard, stock);
  return stock;
}

Decision decide(const Request& request, const Facts& facts, Stock& stock) {
  return Deciding(request, facts, stock).run();
}

}  // namespace shardmill::update
