// The limits on samples: on measurements of their audio, as the user wants them, and on their texts: repack
// takes only texts that every command can read again, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "model/audio_info.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Why the user does not want such audio, with the figure; nullopt when it is within the limits.
std::optional<std::pair<manifest::RejectReason, std::string>> beyond(const QualityLimits& limits,
                                                                     const AudioQuality& quality);

/// Why a transcript of this size is not taken; nullopt when it is.
std::optional<std::string> find_long_transcript(std::uint64_t bytes);

/// Why the manifest line of a sample would be too long, wherever the sample is placed; nullopt when it would
/// not be. The transcript counts even if manifests will have no texts, so that the dataset can be repacked
/// with texts.
std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript);

}  // namespace shardmill::pipeline
