// The fields of a manifest line that say what was measured of the audio.
#pragma once

#include <optional>

#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "model/audio_info.hpp"

namespace shardmill::manifest {

/// Appends an object.
void write_quality(base::JsonWriter& json, const AudioQuality& quality);
/// nullopt when the value is something else, which a source may have under this name.
std::optional<AudioQuality> read_quality(const base::JsonValue& json);

}  // namespace shardmill::manifest
