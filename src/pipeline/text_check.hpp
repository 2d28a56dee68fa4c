// Text checks: make sure that no dataset loses its transcripts unnoticed, with a quick look before the run
// and a count of all samples after it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "model/text_count.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Reads the first samples of up to three shards of each stream. Throws Error when none of them has a
/// transcript and the options do not allow that. Raw corpora were checked when they were found. The same
/// files always get the same verdict. What cannot be read is left to the run.
void glance_at_texts(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

/// `texts` counts all samples that were taken, by dataset. Throws Error when more of them have no transcript
/// than the options allow.
void check_texts(const Inputs& inputs, const std::map<std::string, TextCount>& texts,
                 const IntakeOptions& options);

}  // namespace shardmill::pipeline
