// SampleRecord: one line of manifests/*.json and of tarred_audio_manifest.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/text/json_reader.hpp"
#include "model/audio_info.hpp"

namespace shardmill::manifest {

struct SampleRecord {
  std::string audio_filepath;  // the name of the audio member in the tar
  double duration_seconds = 0;
  std::optional<std::string> text;  // absent when transcripts are members only
  std::uint64_t shard_id = 0;
  std::string key;
  std::string dataset;
  AudioInfo audio;
  std::uint64_t audio_bytes = 0;
  std::uint64_t tar_offset = 0;             // of the audio bytes, in the uncompressed tar
  base::Xxh128 xxh3;                        // of the audio bytes
  std::string source;                       // the file it came from
  std::string source_key;                   // the key it had there
  std::optional<base::Xxh128> source_xxh3;  // of the audio bytes there, where they were encoded anew
  std::string facts;  // what else the source says of it: more JSON members, as they are to be written
};

/// True for the names of members that have a meaning of their own in a manifest line, NeMo's `offset` (a
/// start time) among them: no fact may be called so.
bool is_sample_field(std::string_view name);

/// One JSON object and a newline.
void append_line(std::string& out, const SampleRecord& record);
/// Fills every field but `facts`. Throws Error, without a place, for a missing or impossible one; unknown
/// ones are ignored.
void read_record(const base::JsonValue& json, SampleRecord& record);

/// For RecordReader: the facts are read, too.
struct WholeSampleRecord : SampleRecord {};
void read_record(const base::JsonValue& json, WholeSampleRecord& record);

}  // namespace shardmill::manifest
