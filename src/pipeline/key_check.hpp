// Key check: keys that two samples would have, as far as they are known before anything is decoded.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Throws Error for the first key that comes twice among the utterances of raw corpora, with the number of
/// all others, unless the options say what to do then. It is a warning if a filter may leave out one of the
/// two.
void check_keys(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

}  // namespace shardmill::pipeline
