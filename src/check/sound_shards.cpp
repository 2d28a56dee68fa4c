#include <fmt/format.h>

#include <system_error>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/dataset_check.hpp"
#include "check/verify/shard_check.hpp"
#include "manifest/layout.hpp"

namespace shardmill::check {

namespace {

SoundShard shard_of(const dataset::DatasetRecords& records, const manifest::ShardRecord& record) {
  const std::string path = records.path(record.path);
  const auto codec = codec::codec_by_name(record.codec);
  if (!codec) {
    throw Error(fmt::format("names the codec '{}', which does not exist", printable(record.codec)),
                at(records.path(manifest::kShardRecords)));
  }
  const auto bytes = base::size_of_file(path);
  if (!bytes) {
    throw Error(base::exists(path) ? "is not a regular file" : "is missing, and shards.jsonl names it",
                at(path));
  }
  if (*bytes != record.bytes) {
    throw Error(fmt::format("has {} bytes, and shards.jsonl says {}", *bytes, record.bytes), at(path),
                "shardmill verify says more");
  }
  return {.path = path, .codec = *codec, .record = record};
}

/// Finds manifests or durations that were edited without the rest, before they spoil a training.
void check_untouched(const dataset::DatasetRecords& records, pipeline::Workers& workers,
                     base::Reporter& reporter) {
  std::vector<std::string> names{std::string(manifest::kShardRecords), std::string(manifest::kDataset)};
  for (const manifest::ShardRecord& shard : *records.shards) {
    names.push_back(manifest::manifest_path(shard.shard_id));
  }
  reporter.phase("checking the records");
  FindingList findings;
  workers.for_each(names.size(), [&](std::size_t i) { check_file(records, names[i], reporter, findings); });
  dataset::throw_first(findings);
}

}  // namespace

SoundDataset sound_dataset(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter) {
  SoundDataset found{.records = dataset::sound_records(folder), .shards = {}};
  const dataset::DatasetRecords& records = found.records;
  std::uint64_t samples = 0;
  for (const manifest::ShardRecord& record : *records.shards) {
    found.shards.push_back(shard_of(records, record));
    samples += record.samples;
  }
  if (samples != records.dataset->samples) {
    throw Error(fmt::format("names {}, and dataset.json says {}", base::format_count(samples, "sample"),
                            base::format_count(records.dataset->samples)),
                at(records.path(manifest::kShardRecords)));
  }
  check_untouched(records, workers, reporter);
  return found;
}

}  // namespace shardmill::check
