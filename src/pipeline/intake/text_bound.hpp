// The limit on texts: repack takes only texts that every command can read again, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/sample_record.hpp"

namespace shardmill::pipeline {

/// Why a transcript of this size is not taken; nullopt when it is.
std::optional<std::string> find_long_transcript(std::uint64_t bytes);

/// Why the manifest line of a sample would be too long, wherever the sample is placed; nullopt when it would
/// not be. The transcript counts even if manifests will have no texts, so that the dataset can be repacked
/// with texts.
std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript);

}  // namespace shardmill::pipeline
