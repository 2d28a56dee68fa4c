#include "update/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/form_files.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::update {

namespace fs = std::filesystem;

namespace {

using shard::seconds;

class RecordWriter {
 public:
  RecordWriter(const UpdatedDataset& updated, const std::string& ready, pipeline::Workers& workers,
               base::Reporter& reporter)
      : updated_(updated),
        folder_(updated.old.folder),
        ready_(ready),
        workers_(workers),
        reporter_(reporter),
        dataset_(updated.record) {}

  UpdatedRecords run() {
    shards();
    manifests();
    pending();
    indexes();
    put_checked(manifest::kRejects, updated_.rejects);
    put(manifest::kRun, to_json(updated_.run));
    describe();
    complete();
    find_dropped();
    return {.dataset = std::move(dataset_),
            .renames = std::move(renames_),
            .kept = std::move(kept_),
            .dropped = std::move(dropped_)};
  }

 private:
  std::string write(std::string_view name, const std::string& text) {
    std::string path = ready_ + "/" + std::string(name);
    base::AtomicFile file(path);
    file.write(std::string_view(text));
    file.commit();
    return path;
  }
  void put(std::string_view name, const std::string& text) {
    write(name, text);
    move(std::string(name));
  }
  void put_checked(std::string_view name, const std::string& text) {
    put(name, text);
    check(std::string(name), base::sha256_hex(base::as_bytes(text)));
  }
  void move(const std::string& name) { move(ready_ + "/" + name, name); }
  void move(const std::string& path, const std::string& name) {
    renames_.emplace_back(fs::path(path).lexically_relative(folder_).string(), name);
  }
  void check(const std::string& name, const std::string& sha256) {
    checksums_.push_back({.sha256 = sha256, .path = name});
  }
  /// A file that is made already, or one that stays.
  void take(const std::string& path, bool is_new, const std::string& name, const std::string& sha256) {
    if (is_new) {
      move(path, name);
    } else {
      kept_.insert(name);
    }
    check(name, sha256);
  }

  static manifest::ShardRecord record_of(const UpdatedShard& shard, const manifest::DatasetRecord& dataset) {
    if (!shard.is_new) return shard.record;
    const shard::ShardTally tally = shard.contents.tally();
    manifest::ShardRecord record = shard.record;
    record.path = shard.tar;
    record.samples = tally.samples();
    record.with_text = tally.with_text;
    record.seconds = seconds(tally.duration());
    record.min_seconds = record.samples == 0 ? 0 : seconds(tally.shortest);
    record.max_seconds = seconds(tally.longest);
    for (const auto& part : dataset.datasets) {
      const auto found = shard.contents.datasets.find(part.dataset);
      const bool has_some = found != shard.contents.datasets.end();
      record.shares.push_back({.dataset = part.dataset,
                               .samples = has_some ? found->second.samples : 0,
                               .seconds = has_some ? seconds(found->second.duration) : 0});
    }
    return record;
  }

  std::string list_root() const {
    const std::string& given = updated_.recipe.list_root;
    return given.empty() ? base::canonical(folder_) : given;
  }

  void shards() {
    std::string records;
    std::string list;
    const std::string root = list_root();
    for (const UpdatedShard& shard : updated_.shards) {
      const manifest::ShardRecord record = record_of(shard, dataset_);
      append_line(records, record);
      manifest::append_list_line(list, root, record.path);
      take(shard.tar_now, shard.is_new, record.path, record.sha256);
      dataset_.bytes += record.bytes;
      dataset_.tar_bytes += record.tar_bytes;
    }
    put_checked(manifest::kShardRecords, records);
    put(manifest::kShardList, list);
  }

  void manifests() {
    base::AtomicFile all(ready_ + "/" + std::string(manifest::kAllSamples));
    std::vector<std::string> paths;
    for (const UpdatedShard& shard : updated_.shards) paths.push_back(shard.manifest_now);
    const auto joined = dataset::join_files(paths, all, workers_, reporter_);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::string& recorded = updated_.shards[i].manifest_sha256;
      if (!recorded.empty() && joined.sha256[i] != recorded) {
        throw Error("its SHA-256 is not the recorded one: the file was changed, cut or damaged", at(paths[i]),
                    "shardmill repair makes it again");
      }
    }
    all.commit();
    for (std::size_t i = 0; i < paths.size(); ++i)
      take(paths[i], updated_.shards[i].is_new, updated_.shards[i].manifest, joined.sha256[i]);
    move(std::string(manifest::kAllSamples));
    check(std::string(manifest::kAllSamples), joined.sha256_of_all);
  }

  void pending() {
    if (!updated_.pending) return;
    const UpdatedShard& pending = *updated_.pending;
    take(pending.tar_now, pending.is_new, pending.tar, pending.record.sha256);
    take(pending.manifest_now, pending.is_new, pending.manifest, pending.manifest_sha256);
    const shard::ShardTally tally = pending.contents.tally();
    dataset_.pending = {
        .samples = tally.samples(), .seconds = seconds(tally.duration()), .bytes = pending.record.bytes};
  }

  void indexes() {
    const dataset::Forms kinds = dataset::forms_of(updated_.old);
    if (kinds.empty()) return;
    std::vector<dataset::ShardToIndex> shards;
    for (const UpdatedShard& shard : updated_.shards) {
      shards.push_back({.path = shard.tar_now,
                        .name = shard.tar,
                        .manifest = shard.manifest_now,
                        .listed = manifest::listed_path(list_root(), shard.tar),
                        .sha256 = shard.record.sha256});
    }
    for (const manifest::Checksum& file :
         dataset::write_form_files(kinds, shards, ready_, workers_, reporter_).files) {
      if (dataset::depends_on_place(file.path)) {
        move(file.path);
      } else {
        take(ready_ + "/" + file.path, true, file.path, file.sha256);
      }
    }
  }

  /// Everything in dataset.json that the shards say.
  void describe() {
    check::ShardContents all;
    std::vector<shard::ShardTally> tallies;
    dataset_.shards = updated_.shards.size();
    dataset_.shard_files = manifest::shard_path_pattern(updated_.recipe.prefix, dataset_.shards,
                                                        codec::suffix(updated_.recipe.codec));
    dataset_.with_text = 0;
    for (const UpdatedShard& shard : updated_.shards) {
      tallies.push_back(shard.contents.tally());
      for (const auto& [name, share] : shard.contents.datasets) {
        all.datasets[name].samples += share.samples;
        all.datasets[name].duration += share.duration;
      }
      for (const auto& [form, amount] : shard.contents.forms) {
        all.forms[form].samples += amount.samples;
        all.forms[form].duration += amount.duration;
      }
      all.audio_bytes += shard.contents.audio_bytes;
      dataset_.with_text += shard.is_new ? tallies.back().with_text : shard.record.with_text;
    }
    const shard::ShardTally total = all.tally();
    dataset_.samples = total.samples();
    dataset_.seconds = seconds(total.duration());
    dataset_.audio_bytes = all.audio_bytes;
    dataset_.balance = shard::balance_of(tallies);
    dataset_.audio.clear();
    for (const auto& [form, amount] : all.forms) {
      dataset_.audio.push_back({.format = form.format,
                                .sample_rate = form.sample_rate,
                                .channels = form.channels,
                                .samples = amount.samples,
                                .seconds = seconds(amount.duration)});
    }
    for (auto& part : dataset_.datasets) {
      part.samples = all.datasets[part.dataset].samples;
      part.seconds = seconds(all.datasets[part.dataset].duration);
    }
    dataset_.options = dataset::text_of(updated_.recipe);
  }

  void parity(const std::string& dataset_path) {
    dataset::ParitySource source{.shards = {},
                                 .manifests = {},
                                 .places = {{std::string(manifest::kDataset), dataset_path}},
                                 .checksums = checksums_};
    for (const std::string& name : kept_) source.places[name] = folder_ + "/" + name;
    for (const auto& [from, to] : renames_) source.places[to] = folder_ + "/" + from;
    for (const UpdatedShard& shard : updated_.shards) {
      source.shards.push_back(shard.tar);
      source.manifests.push_back(shard.manifest);
    }
    if (updated_.pending) source.pending = {updated_.pending->tar, updated_.pending->manifest};
    for (const manifest::Checksum& written :
         dataset::write_all_parity(source, dataset_.parity, ready_, workers_, reporter_))
      take(ready_ + "/" + written.path, true, written.path, written.sha256);
  }

  void complete() {
    const std::string name(manifest::kDataset);
    const std::string text = to_json(dataset_);
    const std::string path = write(name, text);
    check(name, base::sha256_hex(base::as_bytes(text)));
    if (dataset_.parity != 0) parity(path);
    std::sort(checksums_.begin(), checksums_.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    std::string sums;
    for (const manifest::Checksum& checksum : checksums_) append_line(sums, checksum);
    put(manifest::kChecksums, sums);
    // Shards come first, so that no list ever names one that is not there.
    std::stable_partition(renames_.begin(), renames_.end(),
                          [](const auto& rename) { return rename.second.find('/') != std::string::npos; });
    move(name);
  }

  /// Rank lists and reports of the old dataset; publish() removes them.
  void find_dropped() {
    const std::string ranks = std::string(manifest::kRankFolder) + "/";
    for (const std::string& name : dataset::dataset_file_names(folder_)) {
      const bool is_derived = name.starts_with(ranks) || name == manifest::kReport;
      if (is_derived && base::exists(folder_ + "/" + name)) dropped_.push_back(name);
    }
  }

  const UpdatedDataset& updated_;
  std::string folder_;
  std::string ready_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  manifest::DatasetRecord dataset_;
  std::vector<manifest::Checksum> checksums_;
  dataset::Renames renames_;
  std::set<std::string> kept_;
  std::vector<std::string> dropped_;
};

}  // namespace

UpdatedRecords write_records(const UpdatedDataset& updated, const std::string& ready,
                             pipeline::Workers& workers, base::Reporter& reporter) {
  return RecordWriter(updated, ready, workers, reporter).run();
}

}  // namespace shardmill::update
