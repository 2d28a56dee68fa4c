// sources_to_read: which files hold the samples of lost shards today, and under which keys.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/recipe.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/sample_record.hpp"
#include "source/source_file.hpp"

namespace shardmill::repair {

/// A sample of a shard that is packed again.
struct WantedSample {
  manifest::SampleRecord record;
  std::size_t shard = 0;  // among those that are packed
  bool is_there = false;
};
using WantedSamples = std::vector<std::unique_ptr<WantedSample>>;

/// Of the audio that the sample was made of.
const base::Xxh128& hash_in_source(const manifest::SampleRecord& record);

struct SourceToRead {
  source::SourceFile file;
  std::multimap<std::string, WantedSample*> wanted;  // by the key that the sample has in the file
};

struct SourcesToRead {
  std::vector<SourceToRead> files;
  std::vector<std::string> problems;  // why samples are in none of them
};

/// Looks the samples up in what the dataset was made of, as it was given. A finished dataset among that gives
/// its own shards, wherever the samples came from before. Other files are found by the names that the
/// manifests have.
SourcesToRead find_sources_to_read(const std::vector<manifest::DatasetRecord::Source>& given,
                                   const dataset::Recipe& recipe, bool allow_commands,
                                   const WantedSamples& samples);

}  // namespace shardmill::repair
