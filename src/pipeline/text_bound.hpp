// The bound on texts: what repack takes, every command must be able to read again, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/sample_record.hpp"

namespace shardmill::pipeline {

/// Why a transcript of so many bytes is not taken; nullopt when it is.
std::optional<std::string> find_long_transcript(std::uint64_t bytes);

/// Why the manifest line of a sample would be too long, wherever the sample is placed; nullopt when it is
/// not. The transcript counts also where manifests are to have none: what is taken once can be taken again.
std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript);

}  // namespace shardmill::pipeline
