// Recipe lists: the JSON and CSV files in which SpeechBrain and Amphion expect the facts about each sample.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manifest/sample_record.hpp"

namespace shardmill::manifest {

/// SpeechBrain: one object with all samples by key, for DynamicItemDataset.from_json(path, {"data_root":
/// DIR}). `wav` is the shard; the audio is `wav_bytes` bytes of it at `wav_offset`.
inline constexpr std::string_view kSpeechBrainList = "speechbrain.json";
/// Has no separator and no line end. `shard_name` is relative to the dataset's folder.
std::string speechbrain_entry(const SampleRecord& record, std::string_view shard_name,
                              std::string_view speaker);

/// The same as a table for from_csv(). SpeechBrain reads `$` before a letter or digit in it as a variable,
/// and has no way to escape it, so such texts can only be read from the JSON.
inline constexpr std::string_view kSpeechBrainTable = "speechbrain.csv";
inline constexpr std::string_view kSpeechBrainColumns = "ID,duration,wav,wav_offset,wav_bytes,spk_id,wrd\n";
/// Includes the line end.
std::string speechbrain_row(const SampleRecord& record, std::string_view shard_name,
                            std::string_view speaker);

/// Amphion: for each dataset NAME the array amphion/NAME/train.json, an empty array in test.json, which
/// Amphion also expects, and amphion/NAME/singers.json, which numbers the speakers. `Path` is relative to the
/// folder where the user will unpack the shards.
inline constexpr std::string_view kAmphionFolder = "amphion";
inline constexpr std::string_view kAmphionAudio = "audio";
std::string amphion_list_name(std::string_view dataset);
std::string amphion_test_list_name(std::string_view dataset);
std::string amphion_singers_name(std::string_view dataset);
/// Has no separator and no line end.
std::string amphion_entry(const SampleRecord& record, std::uint64_t index, std::string_view speaker);

}  // namespace shardmill::manifest
