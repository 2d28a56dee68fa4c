// doctor --training: looks at the machine as a distributed training would find it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "training/compare.hpp"
#include "training/judge.hpp"
#include "training/node.hpp"

namespace shardmill::commands {

struct TrainingDoctorOptions {
  std::string folder;  // of the shards; empty: they are not looked at
  std::string python;  // empty: the one on the PATH
  training::Job job;
  training::Patience patience;
};

struct TrainingDoctorSummary {
  training::Node node;
  training::Remarks remarks;

  bool is_good() const;
};

/// Writes nothing anywhere. Throws Error when the folder is missing.
TrainingDoctorSummary run_training_doctor(const TrainingDoctorOptions& options, pipeline::Workers& workers,
                                          base::Reporter& reporter);

/// Compares what machines of one job said of themselves, each in a file.
training::Comparison run_doctor_comparison(const std::vector<std::string>& files);

}  // namespace shardmill::commands
