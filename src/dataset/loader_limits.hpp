// loader_limits: which training loaders cannot read shards of some form.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"

namespace shardmill::dataset {

/// The properties of shards that matter to loaders.
struct ShardForm {
  codec::Codec codec = codec::Codec::none;
  std::string_view prefix = "audio";   // shards are PREFIX_000000000.tar and so on
  bool has_text_members = false;       // transcripts are members KEY.txt of the tar
  std::set<std::string> containers{};  // of the audio: wav, flac, ...
};

struct LoaderLimit {
  std::string_view id;      // a word that never changes: "codec"
  std::string_view loader;  // the loader that is affected
  std::string text;         // its behaviour with such shards
};

/// In a fixed order; empty when every loader can read such shards.
std::vector<LoaderLimit> loader_limits(const ShardForm& form);

/// True for containers of audio, as in AudioInfo::format, that only loaders with FFmpeg can decode.
bool is_foreign_container(std::string_view container);

/// True for names that NeMo's Lhotse reader accepts for a shard: "audio", later an underscore and a number,
/// and then ".tar", all in the last part of the path.
bool has_nemo_name(std::string_view path);

}  // namespace shardmill::dataset
