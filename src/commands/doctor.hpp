// doctor: checks the machine, a folder and the libraries for a run, or the machine for distributed training.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io/filesystem.hpp"
#include "base/reporter.hpp"
#include "base/system/machine.hpp"
#include "base/version.hpp"
#include "check/folder_check.hpp"
#include "codec/speed.hpp"
#include "pipeline/workers.hpp"
#include "training/compare.hpp"
#include "training/judge.hpp"
#include "training/node.hpp"

namespace shardmill::commands {

struct DoctorOptions {
  std::string folder = ".";
  base::LibraryVersions libraries;  // the ones that the caller uses
};

struct DoctorSummary {
  base::Machine machine;
  std::string folder;
  base::Filesystem filesystem;
  check::FolderCheck check;
  std::string vector_path;                   // used for bzip2
  std::vector<std::string> vector_paths;     // all that this CPU can run, best first
  unsigned threads = 1;                      // how many decoded at the same time
  std::vector<codec::DecodeSpeed> decoding;  // speed of one thread
  base::LibraryVersions versions;
  std::vector<std::pair<std::string, std::string>> not_built_in;  // missing parts, and their cost
  std::vector<std::string> problems;                              // a run will fail, or will not be safe
  std::vector<std::string> notes;                                 // worth knowing
};

/// Takes about five seconds, mostly to measure the decoders with all workers at once, as in a run. Throws
/// Error when the folder is missing.
DoctorSummary run_doctor(const DoctorOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

struct TrainingDoctorOptions {
  std::string folder;  // of the shards; empty: shards are not checked
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

/// Compares the machines of one job by the files that run_training_doctor() gave for them.
training::Comparison run_doctor_comparison(const std::vector<std::string>& files);

}  // namespace shardmill::commands
