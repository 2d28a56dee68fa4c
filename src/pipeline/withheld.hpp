// withheld: the samples that were removed from a dataset, and that only come back when the user asks for
// them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/sample_record.hpp"

namespace shardmill::pipeline {

/// Names a sample by its key, the audio in its source, and its transcript, if the manifests have it. A KeySet
/// may hold such names beside keys.
std::string known_sample(const manifest::SampleRecord& record);

/// Names a sample by its dataset and by its key in the source.
std::string withheld_key(std::string_view dataset, std::string_view source_key);

/// Names all samples of a speaker of a dataset.
std::string withheld_speaker(std::string_view dataset, std::string_view speaker);

/// What updates have removed from a dataset.
struct RemovedBefore {
  std::vector<std::string> samples;  // by withheld_key()
  std::set<std::string> speakers;    // by withheld_speaker()
};
/// Reads it from rejects.jsonl. Throws Error when the file cannot be read.
RemovedBefore removed_before(const std::string& rejects_path);

}  // namespace shardmill::pipeline
