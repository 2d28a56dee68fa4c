// Text checks: no dataset loses its transcripts unseen; judged at a glance before the run, and by all its
// samples after it.
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
/// transcript and the options refuse that. Raw corpora were judged when they were found. The same files
/// always get the same verdict; what cannot be read is left to the run.
void glance_at_texts(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

/// `texts`: of all samples that were taken, by dataset. Throws Error where the options refuse that.
void check_texts(const Inputs& inputs, const std::map<std::string, TextCount>& texts,
                 const IntakeOptions& options);

}  // namespace shardmill::pipeline
