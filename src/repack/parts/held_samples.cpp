#include "repack/parts/held_samples.hpp"

#include <utility>

namespace shardmill::repack {

HeldSamples::HeldSamples(const std::string& out_folder, const PartPlan& plan, pipeline::HeldShards&& shards)
    : shards_(std::move(shards)) {
  for (std::uint32_t part = 0; part < plan.parts; ++part) {
    const std::string folder = part_folder(out_folder, part);
    auto state = pipeline::read_part_state(folder);
    if (!state) throw Error("has lost its journal", at(folder));
    paths_.push_back(pipeline::held_path(folder));
    entries_.push_back(std::move(state->mill.held));
  }
}

std::vector<pipeline::HeldShare> HeldSamples::of(const deal::ShardRange& range) const {
  std::vector<pipeline::HeldShare> shares;
  for (std::size_t part = 0; part < paths_.size(); ++part) {
    pipeline::HeldShare share{.path = paths_[part], .placements = {}};
    for (std::size_t i = 0; i < shards_[part].size(); ++i) {
      const std::uint32_t shard = shards_[part][i];
      if (shard < range.first || shard >= range.first + range.count) continue;
      share.placements.push_back({.entry = entries_[part].at(i), .shard = shard - range.first});
    }
    if (!share.placements.empty()) shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace shardmill::repack
