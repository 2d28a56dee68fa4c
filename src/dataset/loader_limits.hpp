// loader_limits: which training loaders cannot read shards of some form, and what to choose instead.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"

namespace shardmill::dataset {

/// What matters to loaders.
struct ShardForm {
  codec::Codec codec = codec::Codec::none;
  std::string_view prefix = "audio";   // shards are PREFIX_000000000.tar and so on
  bool has_text_members = false;       // transcripts lie in the tar, as KEY.txt
  std::set<std::string> containers{};  // of the audio: wav, flac, ...
};

struct LoaderLimit {
  std::string_view id;      // a word that does not change: "codec"
  std::string_view loader;  // which of them
  std::string text;         // what it does with such shards
  std::string_view advice;  // the option that helps
};

/// In a fixed order; empty where every loader reads such shards.
std::vector<LoaderLimit> loader_limits(const ShardForm& form);

/// True for what NeMo's Lhotse reader takes for a shard: "audio", then an underscore and a number, then
/// ".tar", all in the file's name.
bool has_nemo_name(std::string_view path);

}  // namespace shardmill::dataset
