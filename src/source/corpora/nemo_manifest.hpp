// NeMo manifests: a JSON object a line, of audio files or of the members of tars.
#pragma once

#include <string>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// Raw: audio_filepath, text, duration and offset (a line with an offset is a segment of the file); the key
/// is the path without its extension, followed by begin and end for a segment.
///
/// Tarred: lines with a shard_id, or a manifest_N.json whose tar, a file called ..._N.tar, is there. The tars
/// are looked for beside the manifest, in the folder above it, and in a folder `shards` beside either. What
/// the manifest does not list is no part of the data.
///
/// Members that NeMo does not know become facts. Throws Error, with file and line, for lines that make no
/// sense.
void read_nemo_manifest(const std::string& path, CorpusBuilder& builder);

}  // namespace shardmill::source
