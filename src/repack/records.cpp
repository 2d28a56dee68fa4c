#include "repack/records.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "codec/codec.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::repack {

namespace {

using shard::seconds;

/// Writes the records one after the other and keeps account of checksums and final names.
class RecordWriter {
 public:
  RecordWriter(const FinishedDataset& finished, pipeline::Workers& workers, base::Reporter& reporter)
      : finished_(finished),
        workers_(workers),
        reporter_(reporter),
        list_root_(dataset::list_root_in(finished.recipe, finished.folder)),
        dataset_(finished.record) {
    base::make_folders(finished.ready);
  }

  WrittenRecords run() {
    shards();
    manifests();
    pending();
    indexes();
    put_checked(manifest::kRejects, finished_.rejects);
    put(manifest::kRun, to_json(finished_.run));
    describe();
    complete();
    return {.dataset = std::move(dataset_), .renames = std::move(renames_), .kept = std::move(kept_)};
  }

 private:
  void shards();
  void manifests();
  void pending();
  void indexes();
  void describe();
  void parity(const std::string& dataset_path);
  void complete();

  std::string ready(std::string_view name) const { return base::inside(finished_.ready, name); }
  std::string write(std::string_view name, const std::string& text) const;
  void put(std::string_view name, const std::string& text) { move(write(name, text), std::string(name)); }
  void put_checked(std::string_view name, const std::string& text);
  void move(const std::string& path, const std::string& name);
  void check(const std::string& name, const std::string& sha256) {
    checksums_.push_back({.sha256 = sha256, .path = name});
  }
  void take(const std::string& path, bool is_new, const std::string& name, const std::string& sha256);
  bool is_to_move(std::size_t shard) const {
    return finished_.shards[shard].is_new && !finished_.shards[shard].is_in_place;
  }
  std::string shard_name(std::size_t shard) const;
  manifest::ShardRecord record_of(std::size_t shard) const;

  const FinishedDataset& finished_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  std::string list_root_;
  manifest::DatasetRecord dataset_;
  std::vector<manifest::Checksum> checksums_;
  dataset::Renames renames_;
  std::set<std::string> kept_;
};

std::string RecordWriter::write(std::string_view name, const std::string& text) const {
  std::string path = ready(name);
  base::AtomicFile file(path);
  file.write(std::string_view(text));
  file.commit();
  return path;
}

void RecordWriter::put_checked(std::string_view name, const std::string& text) {
  put(name, text);
  check(std::string(name), base::sha256_hex(base::as_bytes(text)));
}

void RecordWriter::move(const std::string& path, const std::string& name) {
  renames_.emplace_back(std::filesystem::path(path).lexically_relative(finished_.folder).string(), name);
}

/// A file that is made already, or one that stays.
void RecordWriter::take(const std::string& path, bool is_new, const std::string& name,
                        const std::string& sha256) {
  if (is_new) {
    move(path, name);
  } else {
    kept_.insert(name);
  }
  check(name, sha256);
}

std::string RecordWriter::shard_name(std::size_t shard) const {
  const FinishedShard& finished = finished_.shards[shard];
  if (!finished.is_new) return finished.record.path;
  return manifest::shard_path(finished_.recipe.prefix, shard, codec::suffix(finished_.recipe.codec));
}

manifest::ShardRecord RecordWriter::record_of(std::size_t shard) const {
  const FinishedShard& finished = finished_.shards[shard];
  if (!finished.is_new) return finished.record;
  const shard::ShardTally& tally = finished.tally;
  manifest::ShardRecord record = finished.record;
  record.shard_id = shard;
  record.path = shard_name(shard);
  record.codec = codec::name(finished_.recipe.codec);
  record.samples = tally.samples();
  record.with_text = tally.with_text;
  record.seconds = seconds(tally.duration());
  record.min_seconds = record.samples == 0 ? 0 : seconds(tally.shortest);
  record.max_seconds = seconds(tally.longest);
  for (std::size_t i = 0; i < tally.datasets.size(); ++i) {
    record.shares.push_back({.dataset = dataset_.datasets[i].dataset,
                             .samples = tally.datasets[i].samples,
                             .seconds = seconds(tally.datasets[i].duration)});
  }
  return record;
}

void RecordWriter::shards() {
  std::string records;
  std::string list;
  for (std::size_t shard = 0; shard < finished_.shards.size(); ++shard) {
    const manifest::ShardRecord record = record_of(shard);
    append_line(records, record);
    manifest::append_list_line(list, list_root_, record.path);
    take(finished_.shards[shard].tar, is_to_move(shard), record.path, record.sha256);
    dataset_.bytes += record.bytes;
    dataset_.tar_bytes += record.tar_bytes;
  }
  put_checked(manifest::kShardRecords, records);
  // Not among the checksums: its absolute paths are the only thing that depends on where the dataset lies.
  put(manifest::kShardList, list);
}

// One pass over the manifests computes the checksum of each, and writes all of them into one file.
void RecordWriter::manifests() {
  const std::string name(manifest::kAllSamples);
  base::AtomicFile all(ready(name));
  std::vector<std::string> paths;
  for (const FinishedShard& shard : finished_.shards) paths.push_back(shard.manifest);
  const auto joined = dataset::join_files(paths, all, workers_, reporter_);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const FinishedShard& shard = finished_.shards[i];
    if (shard.manifest_check && joined.quick[i] != *shard.manifest_check)
      throw pipeline::scratch_damage(paths[i]);
    if (!shard.manifest_sha256.empty() && joined.sha256[i] != shard.manifest_sha256)
      throw Error("its SHA-256 is not the recorded one: the file was changed, cut or damaged", at(paths[i]),
                  "shardmill repair makes it again");
  }
  all.commit();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool moves = is_to_move(i);
    if (moves) base::File::open_update(paths[i]).close();  // a shard without samples has none yet
    take(paths[i], moves, manifest::manifest_path(i), joined.sha256[i]);
  }
  take(ready(name), true, name, joined.sha256_of_all);
}

void RecordWriter::pending() {
  if (!finished_.pending) return;
  const FinishedShard& pending = *finished_.pending;
  take(pending.tar, pending.is_new, std::string(manifest::kPendingTar), pending.record.sha256);
  take(pending.manifest, pending.is_new, std::string(manifest::kPendingManifest), pending.manifest_sha256);
  dataset_.pending = {.samples = pending.tally.samples(),
                      .seconds = seconds(pending.tally.duration()),
                      .bytes = pending.record.bytes};
}

void RecordWriter::indexes() {
  if (finished_.indexes.empty()) return;
  std::vector<dataset::ShardToIndex> shards;
  for (std::size_t shard = 0; shard < finished_.shards.size(); ++shard) {
    const FinishedShard& finished = finished_.shards[shard];
    shards.push_back({.path = finished.tar,
                      .name = shard_name(shard),
                      .manifest = finished.manifest,
                      .listed = manifest::listed_path(list_root_, shard_name(shard)),
                      .sha256 = finished.record.sha256});
  }
  for (const manifest::Checksum& file :
       dataset::write_form_files(finished_.indexes, shards, finished_.ready, workers_, reporter_).files) {
    move(ready(file.path), file.path);
    if (!dataset::depends_on_place(file.path)) check(file.path, file.sha256);
  }
}

/// Everything in dataset.json that the shards say.
void RecordWriter::describe() {
  const dataset::Recipe& recipe = finished_.recipe;
  std::vector<shard::ShardTally> tallies;
  for (const FinishedShard& shard : finished_.shards) tallies.push_back(shard.tally);
  dataset_.shards = tallies.size();
  dataset_.shard_files =
      manifest::shard_path_pattern(recipe.prefix, dataset_.shards, codec::suffix(recipe.codec));
  dataset_.balance = shard::balance_of(tallies);
  dataset_.samples = 0;
  dataset_.with_text = 0;
  std::chrono::nanoseconds total{};
  for (const shard::ShardTally& tally : tallies) {
    dataset_.samples += tally.samples();
    dataset_.with_text += tally.with_text;
    total += tally.duration();
  }
  dataset_.seconds = seconds(total);
  for (std::size_t i = 0; i < dataset_.datasets.size(); ++i) {
    shard::ShardTally::Share share;
    for (const shard::ShardTally& tally : tallies) {
      share.samples += tally.datasets[i].samples;
      share.duration += tally.datasets[i].duration;
    }
    dataset_.datasets[i].samples = share.samples;
    dataset_.datasets[i].seconds = seconds(share.duration);
  }
  dataset_.audio.clear();
  for (const auto& [form, amount] : finished_.forms) {
    dataset_.audio.push_back({.format = form.format,
                              .sample_rate = form.sample_rate,
                              .channels = form.channels,
                              .samples = amount.samples,
                              .seconds = seconds(amount.duration)});
  }
  dataset_.options = dataset::text_of(recipe);
}

/// Of the files that cannot be made again from other files. Lists and indexes can be made from these.
void RecordWriter::parity(const std::string& dataset_path) {
  dataset::ParitySource source{.shards = {},
                               .manifests = {},
                               .places = {{std::string(manifest::kDataset), dataset_path}},
                               .checksums = checksums_};
  for (const std::string& name : kept_) source.places[name] = base::inside(finished_.folder, name);
  for (const auto& [from, to] : renames_) source.places[to] = base::inside(finished_.folder, from);
  for (std::size_t shard = 0; shard < finished_.shards.size(); ++shard) {
    source.shards.push_back(shard_name(shard));
    source.manifests.push_back(manifest::manifest_path(shard));
    if (!finished_.shards[shard].is_in_place) continue;
    source.places[source.shards.back()] = finished_.shards[shard].tar;
    source.places[source.manifests.back()] = finished_.shards[shard].manifest;
  }
  if (finished_.pending)
    source.pending = {std::string(manifest::kPendingTar), std::string(manifest::kPendingManifest)};
  for (const manifest::Checksum& written :
       dataset::write_all_parity(source, dataset_.parity, finished_.ready, workers_, reporter_))
    take(ready(written.path), true, written.path, written.sha256);
}

void RecordWriter::complete() {
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
  move(path, name);
}

}  // namespace

WrittenRecords write_records(const FinishedDataset& finished, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  return RecordWriter(finished, workers, reporter).run();
}

}  // namespace shardmill::repack
