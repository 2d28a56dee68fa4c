// Kaldi's data directory: the lists that Kaldi, ESPnet and others want, with the audio where it is in the
// shards.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::dataset {

/// Those that every dataset has. There is also kaldi/utt2lang where all samples name their language.
std::vector<std::string> kaldi_list_names();

/// All samples sorted by key, byte by byte, as Kaldi's tools want them. Keeps the keys in memory.
void write_kaldi_lists(const std::vector<ShardToIndex>& shards, const std::string& folder,
                       base::Reporter& reporter, WrittenIndexes& written);

/// Just the lines of kaldi/wav.scp, one after another.
void for_each_kaldi_audio(const std::vector<ShardToIndex>& shards, base::Reporter& reporter,
                          const std::function<void(std::string_view)>& use);

}  // namespace shardmill::dataset
