// The shards of a finished dataset, for commands that trust its records.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "dataset/records.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

struct SoundShard {
  std::string path;  // to open it
  codec::Codec codec = codec::Codec::none;
  manifest::ShardRecord record;
};

struct SoundDataset {
  dataset::DatasetRecords records;
  std::vector<SoundShard> shards;  // in the order of shards.jsonl
};

/// Reads no shard. Throws Error when the dataset is unfinished, or when its records do not agree with each
/// other, with their checksums or with the sizes of the shards.
SoundDataset sound_dataset(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::check
