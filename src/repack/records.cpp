#include "repack/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"
#include "repack/folder.hpp"

namespace shardmill::repack {

namespace fs = std::filesystem;

namespace {

using shard::seconds;

/// Writes the records one after the other and keeps account of checksums and final names.
class RecordWriter {
 public:
  RecordWriter(const FinishedRun& finished, manifest::DatasetRecord& dataset)
      : finished_(finished), dataset_(dataset), ready_(finished.work_folder + "/ready") {
    base::make_folders(ready_);
  }

  void shards();
  void manifests();
  void indexes();
  void rejects();
  void checksums();
  void unchecked(std::string_view name, const std::string& text) { put(name, text); }
  void complete(const std::string& text);

  dataset::Renames take_renames() { return std::move(renames_); }

 private:
  void put(std::string_view name, const std::string& text);
  std::string write(std::string_view name, const std::string& text);
  void put_checked(std::string_view name, const std::string& text);
  void move(const std::string& path, const std::string& final_name);
  void parity(const std::string& dataset_path);
  manifest::ShardRecord record_of(std::uint32_t shard) const;
  std::string shard_name(std::uint32_t shard) const;

  const FinishedRun& finished_;
  manifest::DatasetRecord& dataset_;
  std::string ready_;
  std::vector<manifest::Checksum> checksums_;
  dataset::Renames renames_;
};

std::string RecordWriter::write(std::string_view name, const std::string& text) {
  std::string path = ready_ + "/" + std::string(name);
  base::AtomicFile file(path);
  file.write(std::string_view(text));
  file.commit();
  return path;
}

void RecordWriter::put(std::string_view name, const std::string& text) {
  move(write(name, text), std::string(name));
}

void RecordWriter::put_checked(std::string_view name, const std::string& text) {
  put(name, text);
  checksums_.push_back({.sha256 = base::sha256_hex(base::as_bytes(text)), .path = std::string(name)});
}

void RecordWriter::move(const std::string& path, const std::string& final_name) {
  renames_.emplace_back(fs::path(path).lexically_relative(finished_.options.out_folder).string(), final_name);
}

std::string RecordWriter::shard_name(std::uint32_t shard) const {
  return manifest::shard_path(finished_.plan.recipe.prefix, shard,
                              codec::suffix(finished_.plan.recipe.codec));
}

manifest::ShardRecord RecordWriter::record_of(std::uint32_t shard) const {
  const shard::ShardTally& tally = finished_.tallies[shard];
  const pipeline::PackedShard& packed = finished_.shards[shard].packed;
  manifest::ShardRecord record;
  record.shard_id = shard;
  record.path = shard_name(shard);
  record.samples = tally.samples();
  record.with_text = tally.with_text;
  record.seconds = seconds(tally.duration());
  record.min_seconds = record.samples == 0 ? 0 : seconds(tally.shortest);
  record.max_seconds = seconds(tally.longest);
  record.bytes = packed.bytes;
  record.tar_bytes = finished_.shards[shard].tar_bytes;
  record.codec = codec::name(finished_.plan.recipe.codec);
  record.sha256 = packed.sha256;
  for (std::size_t i = 0; i < tally.datasets.size(); ++i) {
    record.shares.push_back({.dataset = finished_.plan.inputs.datasets[i].name,
                             .samples = tally.datasets[i].samples,
                             .seconds = seconds(tally.datasets[i].duration)});
  }
  return record;
}

void RecordWriter::shards() {
  std::string records;
  std::string list;
  const std::string root = list_root_of(finished_.options, finished_.plan.recipe);
  for (std::uint32_t shard = 0; shard < finished_.plan.shards; ++shard) {
    const manifest::ShardRecord record = record_of(shard);
    append_line(records, record);
    manifest::append_list_line(list, root, record.path);
    checksums_.push_back({.sha256 = record.sha256, .path = record.path});
    move(finished_.shards[shard].packed.path, record.path);
    dataset_.bytes += record.bytes;
    dataset_.tar_bytes += record.tar_bytes;
  }
  put_checked(manifest::kShardRecords, records);
  // Not among the checksums: its absolute paths are the only thing that depends on where the dataset lies.
  put(manifest::kShardList, list);
}

// One pass over the manifests computes the checksum of each, and writes all of them into one file.
void RecordWriter::manifests() {
  const std::string all_path = ready_ + "/" + std::string(manifest::kAllSamples);
  base::AtomicFile all(all_path);
  std::vector<std::string> paths;
  for (const FinishedShard& shard : finished_.shards) paths.push_back(shard.manifest_path);
  auto joined = dataset::join_files(paths, all, finished_.workers, finished_.reporter);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (joined.quick[i] != finished_.shards[i].manifest_check) throw pipeline::scratch_damage(paths[i]);
  }
  all.commit();
  for (std::uint32_t shard = 0; shard < paths.size(); ++shard) {
    base::File::open_update(paths[shard]).close();  // a shard without samples has none yet
    const std::string name = manifest::manifest_path(shard);
    checksums_.push_back({.sha256 = std::move(joined.sha256[shard]), .path = name});
    move(paths[shard], name);
  }
  checksums_.push_back(
      {.sha256 = std::move(joined.sha256_of_all), .path = std::string(manifest::kAllSamples)});
  move(all_path, std::string(manifest::kAllSamples));
}

void RecordWriter::indexes() {
  const dataset::Forms& kinds = finished_.plan.recipe.indexes;
  if (kinds.empty()) return;
  const std::string root = list_root_of(finished_.options, finished_.plan.recipe);
  std::vector<dataset::ShardToIndex> shards;
  for (std::uint32_t shard = 0; shard < finished_.plan.shards; ++shard) {
    const FinishedShard& finished = finished_.shards[shard];
    shards.push_back({.path = finished.packed.path,
                      .name = shard_name(shard),
                      .manifest = finished.manifest_path,
                      .listed = manifest::listed_path(root, shard_name(shard)),
                      .sha256 = finished.packed.sha256});
  }
  for (manifest::Checksum& file :
       dataset::write_form_files(kinds, shards, ready_, finished_.workers, finished_.reporter).files) {
    move(ready_ + "/" + file.path, file.path);
    if (!dataset::depends_on_place(file.path)) checksums_.push_back(std::move(file));
  }
}

void RecordWriter::rejects() {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;
  std::string all;
  for (const std::string& path : finished_.reject_logs) all += base::read_text(path, kMostBytes);
  put_checked(manifest::kRejects, all);
}

/// The files that cannot be made again from other files. Lists and indexes can be made from these.
void RecordWriter::parity(const std::string& dataset_path) {
  dataset::ParitySource source{.shards = {},
                               .manifests = {},
                               .places = {{std::string(manifest::kDataset), dataset_path}},
                               .checksums = checksums_};
  for (const auto& [from, to] : renames_) source.places[to] = finished_.options.out_folder + "/" + from;
  for (std::uint32_t shard = 0; shard < finished_.plan.shards; ++shard) {
    source.shards.push_back(shard_name(shard));
    source.manifests.push_back(manifest::manifest_path(shard));
  }
  for (manifest::Checksum& written : dataset::write_all_parity(source, finished_.plan.recipe.parity, ready_,
                                                               finished_.workers, finished_.reporter)) {
    move(ready_ + "/" + written.path, written.path);
    checksums_.push_back(std::move(written));
  }
}

void RecordWriter::checksums() {
  std::sort(checksums_.begin(), checksums_.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  std::string text;
  for (const manifest::Checksum& checksum : checksums_) append_line(text, checksum);
  put(manifest::kChecksums, text);
}

void RecordWriter::complete(const std::string& text) {
  const std::string name(manifest::kDataset);
  const std::string path = write(name, text);
  checksums_.push_back({.sha256 = base::sha256_hex(base::as_bytes(text)), .path = name});
  if (finished_.plan.recipe.parity != 0) parity(path);
  checksums();
  move(path, name);
}

manifest::DatasetRecord describe(const FinishedRun& finished) {
  const pipeline::IntakeCounts& counts = finished.counts;
  const auto& tallies = finished.tallies;
  manifest::DatasetRecord dataset;
  dataset.shards = finished.plan.shards;
  dataset.shard_files = manifest::shard_path_pattern(finished.plan.recipe.prefix, finished.plan.shards,
                                                     codec::suffix(finished.plan.recipe.codec));
  dataset.samples = counts.taken;
  dataset.audio_bytes = counts.audio_bytes;
  for (const auto& [reason, count] : counts.left_out) dataset.rejects += reason == "by_weight" ? 0 : count;
  dataset.left_out = counts.left_out;
  dataset.parity = finished.plan.recipe.parity;
  for (const auto& [name, texts] : counts.texts) dataset.with_text += texts.with_text;
  dataset.texts_cleaned = counts.texts_cleaned;
  dataset.balance = shard::balance_of(tallies);
  for (const auto& [form, amount] : counts.forms) {
    dataset.audio.push_back({.format = form.format,
                             .sample_rate = form.sample_rate,
                             .channels = form.channels,
                             .samples = amount.samples,
                             .seconds = seconds(amount.duration)});
  }
  dataset.reencoded = {.samples = counts.reencoded,
                       .clipped_samples = counts.clipped_samples,
                       .clipped_values = counts.clipped_values};
  if (finished.plan.recipe.even != deal::Even::off) {
    const pipeline::Evened& evened = counts.evened;
    dataset.evened = {.left_out = {.samples = evened.left_out, .seconds = seconds(evened.left_out_duration)},
                      .repeated = {.samples = evened.repeated, .seconds = seconds(evened.repeated_duration)},
                      .repeated_keys = evened.repeated_keys};
  }
  for (const manifest::DatasetRecord::Doubt& doubt : counts.doubtful) {
    if (doubt.samples > 0) dataset.doubtful.push_back(doubt);
  }
  std::chrono::nanoseconds total{};
  for (std::size_t i = 0; i < finished.plan.inputs.datasets.size(); ++i) {
    manifest::DatasetRecord::Part part{.dataset = finished.plan.inputs.datasets[i].name,
                                       .weight = finished.plan.inputs.datasets[i].weight};
    std::chrono::nanoseconds duration{};
    for (const shard::ShardTally& tally : tallies) {
      part.samples += tally.datasets[i].samples;
      duration += tally.datasets[i].duration;
    }
    const auto texts = counts.texts.find(part.dataset);
    part.with_text = texts == counts.texts.end() ? 0 : texts->second.with_text;
    part.seconds = seconds(duration);
    if (const auto found = counts.subsets.find(part.dataset); found != counts.subsets.end()) {
      for (const auto& [subset, amount] : found->second)
        part.subsets[subset] = {.samples = amount.samples, .seconds = seconds(amount.duration)};
    }
    total += duration;
    dataset.datasets.push_back(part);
  }
  dataset.seconds = seconds(total);
  dataset.options = dataset::text_of(finished.plan.recipe);
  for (const source::GivenSource& given : finished.plan.sources.given) {
    dataset.sources.push_back(
        {.dataset = given.dataset, .path = given.path, .files = given.files, .bytes = given.bytes});
  }
  dataset.inputs_xxh3 = finished.plan.sources.digest();
  return dataset;
}

}  // namespace

std::vector<FinishedShard> finished_shards(const pipeline::SpoolSet& spools,
                                           const std::vector<pipeline::PackedShard>& packed) {
  const auto states = spools.states();
  std::vector<FinishedShard> shards;
  for (std::uint32_t i = 0; i < packed.size(); ++i) {
    shards.push_back({.packed = packed[i],
                      .tar_bytes = states[i].tar_bytes,
                      .manifest_path = spools.manifest_path(i),
                      .manifest_check = states[i].manifest_check});
  }
  return shards;
}

WrittenRecords write_records(const FinishedRun& finished, const manifest::RunRecord& run) {
  WrittenRecords written{.dataset = describe(finished), .renames = {}};
  RecordWriter writer(finished, written.dataset);
  writer.shards();
  writer.manifests();
  writer.indexes();
  writer.rejects();
  writer.unchecked(manifest::kRun, to_json(run));
  writer.complete(to_json(written.dataset));
  written.renames = writer.take_renames();
  return written;
}

}  // namespace shardmill::repack
