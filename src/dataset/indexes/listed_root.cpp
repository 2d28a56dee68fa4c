#include "dataset/indexes/listed_root.hpp"

#include "base/io/line_reader.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

std::optional<std::string> root_in_list(const DatasetRecords& records) {
  const std::string end = "/" + records.shards->front().path;
  base::LineReader lines(records.path(manifest::kShardList));
  std::string_view line;
  if (!lines.next(line) || !line.ends_with(end)) return std::nullopt;
  line.remove_suffix(end.size());
  return std::string(line);
}

}  // namespace shardmill::dataset
