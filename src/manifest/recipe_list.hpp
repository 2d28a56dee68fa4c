// Recipe lists: what SpeechBrain and Amphion want to know of each sample, as JSON and CSV.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifest/sample_record.hpp"

namespace shardmill::manifest {

/// SpeechBrain: one object for all samples, by key, for DynamicItemDataset.from_json(path, {"data_root":
/// DIR}). `wav` is the shard; the audio is `wav_bytes` bytes of it at `wav_offset`.
inline constexpr std::string_view kSpeechBrainList = "speechbrain.json";
/// Without separator or line end. `shard_name` is relative to the dataset's folder.
std::string speechbrain_entry(const SampleRecord& record, std::string_view shard_name,
                              std::string_view speaker);

/// The same as a table for from_csv(). There SpeechBrain takes `$` before a letter or digit for a variable,
/// and knows no way around it: such a text is read from the JSON, or not at all.
inline constexpr std::string_view kSpeechBrainTable = "speechbrain.csv";
inline constexpr std::string_view kSpeechBrainColumns = "ID,duration,wav,wav_offset,wav_bytes,spk_id,wrd\n";
/// With its line end.
std::string speechbrain_row(const SampleRecord& record, std::string_view shard_name,
                            std::string_view speaker);

/// Amphion: for each dataset NAME the array amphion/NAME/train.json, an empty one in test.json, which it
/// wants as well, and amphion/NAME/singers.json, which numbers the speakers. `Path` is below the folder where
/// the shards are to be unpacked.
inline constexpr std::string_view kAmphionFolder = "amphion";
inline constexpr std::string_view kAmphionAudio = "audio";
std::string amphion_list_name(std::string_view dataset);
std::string amphion_test_list_name(std::string_view dataset);
std::string amphion_singers_name(std::string_view dataset);
/// Without separator or line end.
std::string amphion_entry(const SampleRecord& record, std::uint64_t index, std::string_view speaker);

}  // namespace shardmill::manifest
