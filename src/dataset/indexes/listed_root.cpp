#include "dataset/indexes/listed_root.hpp"

#include "base/io/line_reader.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

std::optional<std::string> root_in_list(const DatasetRecords& records) {
  const std::string end = "/" + records.shards->front().path;
  base::LineReader lines(records.path(manifest::kShardList));
  std::string_view line;
  if (!lines.next(line) || !line.ends_with(end)) return std::nullopt;
  line.remove_suffix(end.size());
  return std::string(line);
}

std::vector<ShardToIndex> shards_below(const DatasetRecords& records, const std::string& root) {
  std::vector<ShardToIndex> shards;
  for (const manifest::ShardRecord& shard : *records.shards) {
    shards.push_back({.path = records.path(shard.path),
                      .name = shard.path,
                      .manifest = records.path(manifest::manifest_path(shard.shard_id)),
                      .listed = manifest::listed_path(root, shard.path)});
  }
  return shards;
}

}  // namespace shardmill::dataset
