// FunASR's lists of audio files and transcripts, for shards that are unpacked.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::dataset {

/// funasr/train.jsonl and funasr/nano.jsonl, with paths relative to the folder of the dataset.
void write_funasr_list(const std::vector<ShardToIndex>& shards, const std::string& folder,
                       base::Reporter& reporter, WrittenIndexes& written);

}  // namespace shardmill::dataset
