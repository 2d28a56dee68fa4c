// counting: what one utterance adds to the counts of a dataset, and how it is taken out of them again.
#pragma once

#include "pipeline/admission_state.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// Counts a sample that is taken.
void count(IntakeCounts& counts, const Utterance& utterance);

/// Takes out the counts of taken samples: `part` is the result of count() for them. The counts of samples
/// that were left out, and warnings, stay.
void subtract(IntakeCounts& counts, const IntakeCounts& part);

}  // namespace shardmill::pipeline
