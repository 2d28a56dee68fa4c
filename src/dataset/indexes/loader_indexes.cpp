#include "dataset/indexes/loader_indexes.hpp"

#include <mutex>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "dataset/indexes/index_file.hpp"
#include "manifest/loader_index.hpp"
#include "shard/layout.hpp"

namespace shardmill::dataset {

using manifest::IndexKind;

namespace {

/// Writes the indexes of one shard. Returns how many samples it has and how large it is.
manifest::IndexedShard write_beside(const IndexKinds& kinds, const ShardToIndex& shard,
                                    const std::string& folder, std::vector<manifest::Checksum>& files) {
  const base::File tar = base::File::open_read(shard.path);
  const ShardLayout layout = shard::layout_of(tar);
  if (layout.samples.empty())
    throw Error("has no samples, and some loaders stop at such a shard", at(shard.path), "leave it out");
  if (has(kinds, IndexKind::wids)) manifest::check_for_wids(layout, shard.path);
  if (has(kinds, IndexKind::dali))
    files.push_back(write_whole(folder, manifest::dali_index_name(shard.name), manifest::dali_index(layout)));
  // Energon and Lhotse share this file.
  if (has(kinds, IndexKind::energon) || has(kinds, IndexKind::lhotse))
    files.push_back(
        write_whole(folder, manifest::energon_index_name(shard.name), manifest::energon_index(layout)));
  return {.name = shard.name, .samples = layout.samples.size(), .bytes = tar.size()};
}

}  // namespace

void write_loader_indexes(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                          const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter,
                          WrittenIndexes& written) {
  std::vector<manifest::IndexedShard> indexed(shards.size());
  std::mutex mutex;
  workers.for_each(shards.size(), [&](std::size_t i) {
    reporter.check_stop();
    std::vector<manifest::Checksum> files;
    indexed[i] = write_beside(kinds, shards[i], folder, files);
    const std::lock_guard lock(mutex);
    written.files.insert(written.files.end(), files.begin(), files.end());
  });
  const auto put = [&](std::string_view name, const std::string& text) {
    written.files.push_back(write_whole(folder, std::string(name), text));
  };
  if (has(kinds, IndexKind::wids)) put(manifest::kWidsIndex, manifest::wids_index(indexed));
  if (has(kinds, IndexKind::energon)) {
    put(manifest::kEnergonSplit, manifest::energon_split(indexed));
    put(manifest::kEnergonDataset, manifest::energon_dataset());
    put(manifest::kEnergonInfo, manifest::energon_info(indexed));  // this file makes it an Energon dataset
  }
  for (const manifest::IndexedShard& shard : indexed) written.samples += shard.samples;
}

}  // namespace shardmill::dataset
