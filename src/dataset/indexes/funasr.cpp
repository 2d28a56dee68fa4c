#include "dataset/indexes/funasr.hpp"

#include <fmt/format.h>

#include "dataset/indexes/index_file.hpp"
#include "dataset/indexes/manifest_lines.hpp"
#include "manifest/form_names.hpp"
#include "manifest/funasr_list.hpp"

namespace shardmill::dataset {

void write_funasr_list(const std::vector<ShardToIndex>& shards, const std::string& folder,
                       base::Reporter& reporter, WrittenIndexes& written) {
  IndexFile file(folder, std::string(manifest::kFunasrList));
  for (const ShardToIndex& shard : shards) {
    for_each_sample(shard.manifest, reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      file.write(manifest::funasr_line(record));
                    });
  }
  written.files.push_back(file.commit());
}

}  // namespace shardmill::dataset
