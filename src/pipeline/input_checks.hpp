// Checks of all input: that no dataset loses its transcripts unnoticed, with a quick look before the run and
// a count of all samples after it; and that what one trains on and what one judges by is mixed only on
// request.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
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

/// Throws Error where the corpora, as far as is known before they are read, hold samples of several splits
/// and the user named no subsets. The rest is found while they are read.
void check_splits(const Inputs& inputs, const IntakeOptions& options);

/// `splits`: at least two, by name, with a sample of each in words. `path`: where the second was found.
Error mixed_splits(const std::map<std::string, std::string>& splits, const std::string& path);

}  // namespace shardmill::pipeline
