// SampleRecord: one line of manifests/*.json and of tarred_audio_manifest.json. ShardRecord: one line of
// shards.jsonl, the duration manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "model/audio_info.hpp"

namespace shardmill::manifest {

struct SampleRecord {
  std::string audio_filepath;  // name of the audio member in the tar
  double duration_seconds = 0;
  std::optional<std::string> text;  // absent when transcripts are only members
  std::uint64_t shard_id = 0;
  std::string key;
  std::string dataset;
  AudioInfo audio;
  std::uint64_t audio_bytes = 0;
  std::uint64_t tar_offset = 0;              // of the audio bytes, in the uncompressed tar
  base::Xxh128 xxh3;                         // of the audio bytes
  std::string source;                        // the file it came from
  std::string source_key;                    // the key it had there
  std::optional<base::Xxh128> source_xxh3;   // of the audio bytes in the source, if they were converted
  std::optional<base::Xxh128> sound_xxh3{};  // of the decoded audio, if it was compared with others
  std::optional<AudioQuality> quality{};     // if it was measured
  std::string facts;  // everything else the source says about it: more JSON members, ready to be written
};

/// True for names that already have a meaning in a manifest line, including NeMo's `offset` (a start time).
/// No fact may have such a name.
bool is_sample_field(std::string_view name);

/// One JSON object and a newline.
void append_line(std::string& out, const SampleRecord& record);
/// Fills every field but `facts`. Throws Error, which names no file, for a missing or impossible field;
/// ignores unknown ones.
void read_record(const base::JsonValue& json, SampleRecord& record);

/// A SampleRecord for which RecordReader also reads the facts.
struct WholeSampleRecord : SampleRecord {};
void read_record(const base::JsonValue& json, WholeSampleRecord& record);

/// The field of a manifest line that names the language: NeMo's "lang" where it has it.
std::string_view language_field(const base::JsonValue& line);

/// Appends the object that describes the measured audio.
void write_quality(base::JsonWriter& json, const AudioQuality& quality);
/// nullopt when the value is something else, which a source may have under this name.
std::optional<AudioQuality> read_quality(const base::JsonValue& json);

struct ShardRecord {
  /// What one dataset has in the shard.
  struct Share {
    std::string dataset;
    std::uint64_t samples = 0;
    double seconds = 0;
  };

  std::uint64_t shard_id = 0;
  std::string path;  // relative to the dataset's folder
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;  // samples with a transcript
  double seconds = 0;
  double min_seconds = 0;  // the shortest sample; max_seconds is the longest
  double max_seconds = 0;
  std::uint64_t bytes = 0;      // of the file
  std::uint64_t tar_bytes = 0;  // of the uncompressed tar
  std::string codec;
  std::string sha256;         // of the file
  std::vector<Share> shares;  // called "datasets" in the file
};

/// One JSON object and a newline.
void append_line(std::string& out, const ShardRecord& record);
/// Fills every field. Throws Error, which names no file, for a missing or impossible field; ignores unknown
/// ones.
void read_record(const base::JsonValue& json, ShardRecord& record);

}  // namespace shardmill::manifest
