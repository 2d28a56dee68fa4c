// Checks of all input that a dry run does, and a run before it works: whether the speakers of samples are
// known, and whether the first files of each dataset are whole.
#pragma once

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Adds an error for each dataset in which a sample has no speaker, as far as that is known beforehand: for
/// corpora by their texts, for shards by their first sample.
void check_speakers(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                    Faults& faults);

/// Adds an error for each file that is cut off or no audio, each recording that is too short for its
/// segments, and each bad sample of a shard, in the first files of each dataset: about a second of work. The
/// first few of a dataset have an error each. Where bad samples are left out, it warns instead.
void check_some_audio(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                      Faults& faults);

}  // namespace shardmill::pipeline
