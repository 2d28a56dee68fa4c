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

/// A line of kaldi/wav.scp and the line of kaldi/kaldiio.scp for the same sample.
using UseKaldiAudio = std::function<void(std::string_view audio, std::string_view place)>;

/// Just the lines of these two, one sample after another.
void for_each_kaldi_audio(const std::vector<ShardToIndex>& shards, base::Reporter& reporter,
                          const UseKaldiAudio& use);

}  // namespace shardmill::dataset
