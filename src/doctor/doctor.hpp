// doctor: checks the machine, a folder and the libraries for a run, or the machine for distributed training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io/filesystem.hpp"
#include "base/remote/probe.hpp"
#include "base/reporter.hpp"
#include "base/system/machine.hpp"
#include "base/version.hpp"
#include "codec/speed.hpp"
#include "doctor/compare.hpp"
#include "doctor/judge.hpp"
#include "doctor/node.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::doctor {

struct FolderCheck {
  std::string problem;    // why nothing can be written; if it is not empty, the other members are not known
  bool locks = false;     // a file that is locked cannot be locked a second time
  bool replaces = false;  // renaming onto a file replaces it
  std::uint64_t tried_bytes = 0;      // 0 when there is too little room for a measurement
  double write_bytes_per_second = 0;  // including the sync
  double read_bytes_per_second = 0;   // after asking the system to drop its cache
};

/// Uses only files of its own, of at most `most_bytes`, writes for at most `seconds`, and removes the files
/// afterwards. Throws only base::Interrupted.
FolderCheck check_folder(const std::string& folder, std::uint64_t most_bytes, double seconds,
                         base::Reporter& reporter);

struct DoctorOptions {
  std::string folder = ".";
  base::LibraryVersions libraries;  // the ones that the caller uses
};

struct DoctorSummary {
  base::Machine machine;
  std::string folder;
  base::Filesystem filesystem;
  FolderCheck check;
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

struct RemoteDoctorSummary {
  base::RemoteProbe probe;
  std::vector<std::string> problems;  // as in DoctorSummary
  std::vector<std::string> notes;
};

/// Tries a bucket or a file on a web server; takes some seconds. Removes what it writes.
RemoteDoctorSummary run_remote_doctor(const std::string& address, base::Reporter& reporter);

struct TrainingDoctorOptions {
  std::string folder;             // of the shards; empty: shards are not checked
  std::string python;             // empty: the one on the PATH
  bool measures_loaders = false;  // of the shards, in `python`
  Job job;
  Patience patience;
};

struct TrainingDoctorSummary {
  Node node;
  Remarks remarks;

  bool is_good() const;
};

/// Writes nothing anywhere. Throws Error when the folder is missing, and when loaders are to be measured and
/// the folder has no shards or Python cannot read them.
TrainingDoctorSummary run_training_doctor(const TrainingDoctorOptions& options, pipeline::Workers& workers,
                                          base::Reporter& reporter);

/// Compares the machines of one job by the files that run_training_doctor() gave for them.
Comparison run_doctor_comparison(const std::vector<std::string>& files);

}  // namespace shardmill::doctor
