#include "update/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "base/io/folder.hpp"
#include "codec/codec.hpp"
#include "dataset/free_space.hpp"
#include "manifest/layout.hpp"
#include "repack/finish.hpp"
#include "update/assembly.hpp"

namespace shardmill::update {

namespace {

std::string shard_name(const dataset::Recipe& recipe, std::uint32_t shard) {
  return manifest::shard_path(recipe.prefix, shard, codec::suffix(recipe.codec));
}

/// What is written: the changed shards in their order, and at the end the samples that wait.
class Targets {
 public:
  Targets(const Request& request, const Decision& decision, const Stock& stock) : stock_(stock) {
    std::vector<std::uint32_t> target_of(decision.shards, kNoShard);
    for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
      if (!decision.changed[shard]) continue;
      target_of[shard] = static_cast<std::uint32_t>(all_.size());
      all_.push_back({.tar = shard_name(request.recipe, shard),
                      .manifest = manifest::manifest_path(shard),
                      .shard_id = shard,
                      .format = repack::encoder_options(request.recipe),
                      .samples = {}});
    }
    Target waiting{.tar = std::string(manifest::kPendingTar),
                   .manifest = std::string(manifest::kPendingManifest),
                   .format = {},
                   .samples = {}};
    for (std::uint32_t i = 0; i < decision.shard_of.size(); ++i) {
      if (stock.samples()[i].is_removed) continue;
      const std::uint32_t shard = decision.shard_of[i];
      if (shard == kNoShard) {
        waiting.samples.push_back(i);
      } else if (decision.changed[shard]) {
        all_[target_of[shard]].samples.push_back(i);
      }
    }
    for (Target& target : all_) sort_samples(target);
    has_waiting_ = !waiting.samples.empty();
    if (has_waiting_) all_.push_back(std::move(waiting));
  }

  const std::vector<Target>& all() const noexcept { return all_; }
  bool has_waiting() const noexcept { return has_waiting_; }

  std::uint64_t sample_bytes() const {
    std::uint64_t bytes = 0;
    for (const Target& target : all_) {
      for (const std::uint32_t sample : target.samples) bytes += stock_.samples()[sample].bytes;
    }
    return bytes;
  }

 private:
  /// An order that mixes the samples.
  void sort_samples(Target& target) const {
    const auto& all = stock_.samples();
    std::stable_sort(target.samples.begin(), target.samples.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return all[a].key < all[b].key; });
  }

  const Stock& stock_;
  std::vector<Target> all_;
  bool has_waiting_ = false;
};

UpdatedShard written_shard(const Target& target, const WrittenTarget& written, const std::string& folder) {
  UpdatedShard shard{.contents = written.contents,
                     .record = {},
                     .is_new = true,
                     .tar = target.tar,
                     .manifest = target.manifest,
                     .manifest_sha256 = written.manifest_sha256,
                     .tar_now = folder + "/" + target.tar,
                     .manifest_now = folder + "/" + target.manifest};
  shard.record.shard_id = target.shard_id;
  shard.record.bytes = written.bytes;
  shard.record.tar_bytes = written.tar_bytes;
  shard.record.codec = codec::name(target.format.codec);
  shard.record.sha256 = written.sha256;
  return shard;
}

/// A shard that stays as it is.
UpdatedShard kept_shard(const dataset::DatasetRecords& records, const Facts& facts, std::uint32_t number) {
  const manifest::ShardRecord& record = (*records.shards)[number];
  const std::string manifest = manifest::manifest_path(number);
  return {.contents = facts.shards[number],
          .record = record,
          .is_new = false,
          .tar = record.path,
          .manifest = manifest,
          .manifest_sha256 = records.checksums->at(manifest),
          .tar_now = records.path(record.path),
          .manifest_now = records.path(manifest)};
}

}  // namespace

std::string ready_folder(const Request& request) {
  return request.work + "/new";
}

Rewritten rewrite(const Request& request, const Facts& facts, const Decision& decision, Stock& stock,
                  pipeline::Workers& workers, base::Reporter& reporter) {
  stock.locate(request.work + "/plain", workers, reporter);
  const Targets targets(request, decision, stock);
  if (!request.options.ignore_free_space)
    dataset::check_free_space(request.options.folder, targets.sample_bytes());
  const std::string folder = ready_folder(request);
  base::remove_tree(folder);
  const std::vector<WrittenTarget> written = write_targets(targets.all(), stock, folder, workers, reporter);

  Rewritten result;
  const auto of_target = [&](std::size_t target) {
    return written_shard(targets.all()[target], written[target], folder);
  };
  std::size_t target = 0;
  for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
    if (decision.changed[shard]) {
      result.shards.push_back(of_target(target++));
    } else {
      result.shards.push_back(kept_shard(request.records, facts, shard));
    }
  }
  if (targets.has_waiting()) result.pending = of_target(target);
  for (const WrittenTarget& one : written) result.bytes += one.bytes;
  return result;
}

}  // namespace shardmill::update
