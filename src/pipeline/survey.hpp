// survey: a glance at the input before the run; how many samples and hours there are, from a few of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/shard_count.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

struct Survey {
  std::vector<deal::InputEstimate> estimates;  // one a stream, weights counted
  std::set<std::string> audio_extensions;      // that were met, as they will be written
};

/// Reads the first samples of up to three files of each stream and
/// scales them up by the estimated plain size of all; damage met on the way is ignored, the run itself will
/// report it.
Survey survey(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

deal::InputEstimate sum(const std::vector<deal::InputEstimate>& estimates);

}  // namespace shardmill::pipeline
