#include "dataset/required_files.hpp"

#include <algorithm>
#include <cstdint>

#include "codec/codec.hpp"
#include "dataset/index_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/recipe.hpp"
#include "manifest/layout.hpp"
#include "manifest/shard_record.hpp"

namespace shardmill::dataset {

namespace {

/// More shards than that are a damaged number.
constexpr std::uint64_t kMostShardsToName = 1'000'000;

}  // namespace

namespace {

std::vector<std::string> index_files(const manifest::DatasetRecord& dataset, const IndexKinds& kinds,
                                     const std::vector<std::string>& shards) {
  std::vector<std::string> parts;
  for (const manifest::DatasetRecord::Part& part : dataset.datasets) {
    if (part.samples != 0) parts.push_back(part.dataset);
  }
  std::vector<std::string> names = index_file_names(kinds, shards, parts);
  std::erase_if(names, may_be_left_out);
  return names;
}

}  // namespace

std::vector<std::string> asked_index_files(const manifest::DatasetRecord& dataset,
                                           const std::vector<std::string>& shards) {
  const auto asked = known_fields(dataset.options, {"index"});
  if (!asked) return {};
  return index_files(dataset, asked->indexes, shards);
}

std::vector<std::string> required_pending_files(const manifest::DatasetRecord& dataset) {
  if (!dataset.pending) return {};
  return {std::string(manifest::kPendingTar), std::string(manifest::kPendingManifest)};
}

std::vector<std::string> required_files(const manifest::DatasetRecord& dataset, const IndexKinds& added) {
  std::vector<std::string> names = required_pending_files(dataset);
  if (dataset.shards > kMostShardsToName) return names;
  for (std::string& name : parity_file_names(dataset.shards, dataset.parity))
    names.push_back(std::move(name));
  const auto naming = known_fields(dataset.options, {"codec", "prefix"});
  if (!naming) return names;
  std::vector<std::string> shards;
  for (std::uint64_t i = 0; i < dataset.shards; ++i) {
    shards.push_back(manifest::shard_path(naming->prefix, i, codec::suffix(naming->codec)));
    names.push_back(manifest::manifest_path(i));
  }
  for (auto indexes : {asked_index_files(dataset, shards), index_files(dataset, added, shards)}) {
    for (std::string& name : indexes) {
      if (!depends_on_place(name)) names.push_back(std::move(name));
    }
  }
  names.insert(names.end(), shards.begin(), shards.end());
  return names;
}

}  // namespace shardmill::dataset
