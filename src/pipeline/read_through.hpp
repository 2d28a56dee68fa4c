// read_through: reads all input as a run does, and writes nothing.
#pragma once

#include <functional>

#include "base/reporter.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/utterance.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

struct ReadThrough {
  const Inputs& inputs;
  IntakeOptions intake;
  std::uint32_t interleave = 1;  // files of a stream that are open at a time
  std::uint64_t seed = 0;        // decides which samples a weight takes
};

/// Gives `take` each sample that passes the filters and the weights, one call at a time, in the order of a
/// run. Duplicates are not looked for. Passes over damage, which the run itself will report. Throws what
/// `take` throws.
void read_through(const ReadThrough& how, Workers& workers, base::Reporter& reporter,
                  const std::function<void(const Utterance&)>& take);

}  // namespace shardmill::pipeline
