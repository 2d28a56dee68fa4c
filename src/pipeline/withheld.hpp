// withheld: the samples that were removed from a dataset, and that only come back when the user asks for
// them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "shard/key_set.hpp"

namespace shardmill::pipeline {

/// Names a sample by its dataset and by its key in the source.
std::string withheld_key(std::string_view dataset, std::string_view source_key);

/// Names all samples of a speaker of a dataset.
std::string withheld_speaker(std::string_view dataset, std::string_view speaker);

/// What rejects.jsonl says was removed, by withheld_key() and withheld_speaker(). Throws Error when the file
/// cannot be read.
std::shared_ptr<shard::KeySet> removed_before(const std::string& rejects_path);

}  // namespace shardmill::pipeline
