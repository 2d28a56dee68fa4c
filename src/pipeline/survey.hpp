// survey: looks at a little of the input before the run, and estimates how many samples and hours there are.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/shard_count.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

struct Survey {
  std::vector<deal::InputEstimate> estimates;             // one for each stream, including weights
  std::set<std::string> audio_extensions;                 // extensions that were met, as they will be written
  std::vector<manifest::DatasetRecord::AudioKind> audio;  // the same of forms, without their amounts
};

/// Reads the first samples of up to three files of each stream, and scales the result up to the estimated
/// plain size of all files. Ignores damage, which the run itself will report.
Survey survey(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

deal::InputEstimate sum(const std::vector<deal::InputEstimate>& estimates);

}  // namespace shardmill::pipeline
