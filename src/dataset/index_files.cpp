#include "dataset/index_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "dataset/indexes/card.hpp"
#include "dataset/indexes/funasr.hpp"
#include "dataset/indexes/kaldi_lists.hpp"
#include "dataset/indexes/lhotse.hpp"
#include "dataset/indexes/loader_indexes.hpp"
#include "dataset/indexes/mds.hpp"
#include "dataset/indexes/nemo_files.hpp"
#include "dataset/indexes/parquet.hpp"
#include "dataset/indexes/recipe_lists.hpp"
#include "dataset/indexes/shar.hpp"
#include "manifest/form_names.hpp"
#include "manifest/loader_index.hpp"
#include "manifest/recipe_list.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

using manifest::IndexKind;

bool has(const IndexKinds& kinds, IndexKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void check_codec(const IndexKinds& kinds, codec::Codec codec) {
  if (codec == codec::Codec::none) return;
  const auto found = std::find_if(kinds.begin(), kinds.end(), manifest::needs_plain_tar);
  if (found == kinds.end()) return;
  throw UsageError(
      fmt::format("the {} index is made for shards that are plain tars; for {} shards it is of no use",
                  name(*found), codec::name(codec)),
      {}, "leave that index out", Remedy::plain_shards);
}

bool is_rooted_index(std::string_view index_file) {
  constexpr std::string_view kFolder = manifest::kLhotseFolder;
  return index_file.size() > kFolder.size() && index_file.starts_with(kFolder) &&
         index_file[kFolder.size()] == '/' && index_file.ends_with(".idx");
}

bool depends_on_place(std::string_view index_file) {
  return index_file == manifest::kKaldiAudio || index_file == manifest::kKaldiPlaces ||
         index_file == manifest::kNemoInput || is_rooted_index(index_file);
}

bool may_be_left_out(std::string_view index_file) {
  return index_file == manifest::kEnergonDatabase || index_file == manifest::kEnergonUuid;
}

std::vector<std::string> index_file_names(const IndexKinds& kinds,
                                          const std::vector<std::string>& shard_names,
                                          const std::vector<std::string>& datasets) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) { names.emplace_back(name); };
  for (const std::string& shard : shard_names) {
    if (has(kinds, IndexKind::dali)) add(manifest::dali_index_name(shard));
    if (has(kinds, IndexKind::energon) || has(kinds, IndexKind::lhotse))
      add(manifest::energon_index_name(shard));
  }
  if (has(kinds, IndexKind::wids)) add(manifest::kWidsIndex);
  if (has(kinds, IndexKind::energon)) {
    add(manifest::kEnergonInfo);
    add(manifest::kEnergonSplit);
    add(manifest::kEnergonDataset);
    add(manifest::kEnergonDatabase);
    add(manifest::kEnergonUuid);
  }
  if (has(kinds, IndexKind::lhotse)) {
    for (const std::string& name : line_index_names(shard_names.size())) add(name);
  }
  if (has(kinds, IndexKind::kaldi)) {
    for (const std::string& name : kaldi_list_names()) add(name);
  }
  if (has(kinds, IndexKind::shar)) {
    for (const std::string& name : shar_names(shard_names.size())) add(name);
  }
  if (has(kinds, IndexKind::huggingface)) {
    add(manifest::kCard);
    add(manifest::kCroissant);
  }
  if (has(kinds, IndexKind::nemo)) {
    add(manifest::kNemoInput);
    add(manifest::kNemoBuckets);
  }
  if (has(kinds, IndexKind::mds)) {
    for (const std::string& name : mds_names(shard_names.size())) add(name);
  }
  if (has(kinds, IndexKind::funasr)) {
    add(manifest::kFunasrList);
    add(manifest::kFunasrNanoList);
  }
  if (has(kinds, IndexKind::parquet)) {
    for (const std::string& name : parquet_names(shard_names.size())) add(name);
  }
  if (has(kinds, IndexKind::speechbrain)) {
    add(manifest::kSpeechBrainList);
    add(manifest::kSpeechBrainTable);
  }
  if (has(kinds, IndexKind::amphion)) {
    for (const std::string& dataset : datasets) {
      add(manifest::amphion_list_name(dataset));
      add(manifest::amphion_test_list_name(dataset));
      add(manifest::amphion_singers_name(dataset));
    }
  }
  return names;
}

namespace {

/// Lines of a manifest have no text at all where the transcripts are only members of the shards.
bool lack_texts(const std::vector<ShardToIndex>& shards) {
  for (const ShardToIndex& shard : shards) {
    if (shard.manifest.empty()) continue;
    manifest::RecordReader reader(shard.manifest);
    if (manifest::SampleRecord first; reader.next(first)) return !first.text;
  }
  return false;
}

void warn_of_missing_texts(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                           base::Reporter& reporter) {
  std::vector<std::string_view> textless;
  for (const IndexKind kind : kinds) {
    if (manifest::needs_manifests(kind) && kind != IndexKind::nemo && kind != IndexKind::huggingface)
      textless.push_back(manifest::name(kind));
  }
  if (textless.empty() || !lack_texts(shards)) return;
  reporter.warn(
      Error(fmt::format("the transcripts of this dataset are only in its shards, not in its manifests: "
                        "these indexes will have none: {}",
                        fmt::join(textless, ", ")),
            {}, "make a dataset that has them in its manifests, too"));
}

}  // namespace

WrittenIndexes write_index_files(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                                 const std::string& folder, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  WrittenIndexes written;
  warn_of_missing_texts(kinds, shards, reporter);
  if (!std::all_of(kinds.begin(), kinds.end(), manifest::needs_manifests))
    write_loader_indexes(kinds, shards, folder, workers, reporter, written);
  if (has(kinds, IndexKind::speechbrain) || has(kinds, IndexKind::amphion))
    write_recipe_lists(kinds, shards, folder, reporter, written);
  if (has(kinds, IndexKind::lhotse)) {
    write_line_indexes(shards, folder, workers, reporter, written);
    if (has(kinds, IndexKind::energon)) write_rooted_indexes(shards, folder, written);
  }
  if (has(kinds, IndexKind::kaldi)) write_kaldi_lists(shards, folder, reporter, written);
  if (has(kinds, IndexKind::shar)) write_shar(shards, folder, workers, reporter, written);
  if (has(kinds, IndexKind::huggingface)) write_card(shards, folder, workers, reporter, written);
  if (has(kinds, IndexKind::nemo)) write_nemo_files(shards, folder, workers, reporter, written);
  if (has(kinds, IndexKind::mds)) write_mds(shards, folder, workers, reporter, written);
  if (has(kinds, IndexKind::funasr)) write_funasr_list(shards, folder, reporter, written);
  if (has(kinds, IndexKind::parquet)) write_parquet(shards, folder, workers, reporter, written);
  std::sort(written.files.begin(), written.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return written;
}

}  // namespace shardmill::dataset
