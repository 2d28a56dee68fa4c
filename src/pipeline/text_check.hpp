// Text checks: make sure that no dataset loses its transcripts unnoticed, with a quick look before the run
// and a count of all samples after it.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Reads the first samples of up to three shards of each stream. Throws Error when none of them has a
/// transcript and the options do not allow that. Raw corpora were checked when they were found. The same
/// files always get the same verdict. What cannot be read is left to the run.
void glance_at_texts(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

/// `counts` is of all samples that were taken. Throws Error when more of them have no transcript than the
/// options allow. Warns of fewer, where this was unknown before the run, and of subsets without any sample.
void check_texts(const Inputs& inputs, const IntakeCounts& counts, const IntakeOptions& options,
                 base::Reporter& reporter);

}  // namespace shardmill::pipeline
