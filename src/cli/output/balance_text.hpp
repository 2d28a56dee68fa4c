// How equal the shards of a dataset are, in words.
#pragma once

#include <string>

#include "manifest/dataset_record.hpp"

namespace shardmill::cli {

/// "0.016 ms of audio, 1 sample, from shard to shard".
std::string spread_text(const manifest::DatasetRecord::Balance& balance);

}  // namespace shardmill::cli
