#include "dataset/indexes/loader_indexes.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "dataset/indexes/energon_database.hpp"
#include "dataset/indexes/index_file.hpp"
#include "manifest/loader_index.hpp"
#include "shard/plain_walk.hpp"

namespace shardmill::dataset {

using manifest::IndexKind;

namespace {

/// Writes the indexes of one shard. Returns how many samples it has and how large it is.
manifest::IndexedShard write_beside(const IndexKinds& kinds, const ShardToIndex& shard,
                                    const std::string& folder, ShardLayout& layout,
                                    std::vector<manifest::Checksum>& files) {
  const base::File tar = base::File::open_read(shard.path);
  layout = shard::layout_of(tar);
  if (layout.samples.empty())
    throw Error("has no samples, and some loaders stop at such a shard", at(shard.path), "leave it out");
  if (has(kinds, IndexKind::wids)) manifest::check_for_wids(layout, shard.path);
  if (has(kinds, IndexKind::dali))
    files.push_back(write_whole(folder, manifest::dali_index_name(shard.name), manifest::dali_index(layout)));
  // Where both are wanted, Lhotse's are below a folder of their own.
  if (has(kinds, IndexKind::energon)) {
    files.push_back(
        write_whole(folder, manifest::energon_index_name(shard.name), manifest::energon_index(layout)));
  } else if (has(kinds, IndexKind::lhotse)) {
    files.push_back(write_whole(folder, manifest::energon_index_name(shard.name),
                                manifest::lhotse_tar_index(layout, tar.size())));
  }
  return {.name = shard.name, .samples = layout.samples.size(), .bytes = tar.size()};
}

/// A few shards at a time: the database takes them one after another, and more layouts would need more
/// memory.
std::vector<manifest::IndexedShard> write_beside_all(const IndexKinds& kinds,
                                                     const std::vector<ShardToIndex>& shards,
                                                     const std::string& folder, pipeline::Workers& workers,
                                                     base::Reporter& reporter,
                                                     std::optional<EnergonDatabase>& database,
                                                     WrittenIndexes& written) {
  std::vector<manifest::IndexedShard> indexed(shards.size());
  std::mutex mutex;
  const std::size_t together = database ? 2 * std::size_t{workers.threads()} : shards.size();
  for (std::size_t begin = 0; begin < shards.size(); begin += together) {
    std::vector<ShardLayout> layouts(database ? std::min(together, shards.size() - begin) : 0);
    workers.for_each(std::min(together, shards.size() - begin), [&](std::size_t i) {
      reporter.check_stop();
      std::vector<manifest::Checksum> files;
      ShardLayout layout;
      indexed[begin + i] = write_beside(kinds, shards[begin + i], folder, layout, files);
      if (database) layouts[i] = std::move(layout);
      const std::lock_guard lock(mutex);
      written.files.insert(written.files.end(), files.begin(), files.end());
    });
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      reporter.check_stop();
      const ShardToIndex& shard = shards[begin + i];
      database->add(layouts[i], shard.path, shard.name, shard.sha256);
      if (!shard.manifest.empty()) database->add_media(shard.manifest, reporter);
    }
  }
  return indexed;
}

}  // namespace

void write_loader_indexes(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                          const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter,
                          WrittenIndexes& written) {
  std::optional<EnergonDatabase> database;
  if (has(kinds, IndexKind::energon)) database.emplace(folder);
  const std::vector<manifest::IndexedShard> indexed =
      write_beside_all(kinds, shards, folder, workers, reporter, database, written);
  const auto put = [&](std::string_view name, const std::string& text) {
    written.files.push_back(write_whole(folder, std::string(name), text));
  };
  if (has(kinds, IndexKind::wids)) put(manifest::kWidsIndex, manifest::wids_index(indexed));
  if (has(kinds, IndexKind::energon)) {
    put(manifest::kEnergonSplit, manifest::energon_split(indexed));
    put(manifest::kEnergonDataset, manifest::energon_dataset());
    if (database->obstacle()) {
      reporter.warn(*database->obstacle());
    } else {
      for (manifest::Checksum& file : database->commit()) written.files.push_back(std::move(file));
    }
    put(manifest::kEnergonInfo, manifest::energon_info(indexed));  // this file makes it an Energon dataset
  }
  for (const manifest::IndexedShard& shard : indexed) written.samples += shard.samples;
}

}  // namespace shardmill::dataset
