// A sample as FunASR's IndexDSJsonl reads it, and as Fun-ASR-Nano does.
#pragma once

#include <string>

#include "manifest/sample_record.hpp"

namespace shardmill::manifest {

/// Includes the line end. Lengths are those that FunASR's scp2jsonl counts: frames of 10 ms, and the words of
/// a transcript, or its characters if it has no blanks.
std::string funasr_line(const SampleRecord& record);
/// Includes the line end. `speech_length` is that of Fun-ASR-Nano's scp2jsonl.py. `text_length` is an
/// estimate of the tokens of Qwen3, which is used to fill batches.
std::string funasr_nano_line(const SampleRecord& record);
/// True for a sample that one of the two drops without an error, by its default limits.
bool is_too_long_for_funasr(const SampleRecord& record);

}  // namespace shardmill::manifest
