#include "dataset/indexes/funasr.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "dataset/indexes/index_file.hpp"
#include "dataset/indexes/manifest_lines.hpp"
#include "manifest/form_names.hpp"
#include "manifest/funasr_list.hpp"

namespace shardmill::dataset {

void write_funasr_list(const std::vector<ShardToIndex>& shards, const std::string& folder,
                       base::Reporter& reporter, WrittenIndexes& written) {
  IndexFile file(folder, std::string(manifest::kFunasrList));
  IndexFile nano(folder, std::string(manifest::kFunasrNanoList));
  std::uint64_t samples = 0;
  std::uint64_t too_long = 0;
  for (const ShardToIndex& shard : shards) {
    for_each_sample(shard.manifest, reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      ++samples;
                      if (manifest::is_too_long_for_funasr(record)) ++too_long;
                      file.write(manifest::funasr_line(record));
                      nano.write(manifest::funasr_nano_line(record));
                    });
  }
  if (too_long != 0)
    reporter.warn(Error(
        fmt::format("{} of {} are longer than FunASR takes unless it is configured for them: it drops more "
                    "than 2048 frames of 10 ms, and more than 2200 of frames and text together, without an "
                    "error",
                    too_long, base::format_count(samples, "sample")),
        {}, "set its max_source_length and max_token_length"));
  written.files.push_back(file.commit());
  written.files.push_back(nano.commit());
}

}  // namespace shardmill::dataset
