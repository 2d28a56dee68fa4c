// funasr_line(): a sample as FunASR's IndexDSJsonl reads it.
#pragma once

#include <string>

#include "manifest/sample_record.hpp"

namespace shardmill::manifest {

/// Includes the line end. Lengths are those that FunASR's scp2jsonl counts: frames of 10 ms, and the words of
/// a transcript, or its characters if it has no blanks.
std::string funasr_line(const SampleRecord& record);

}  // namespace shardmill::manifest
