// doctor: looks at the machine, a folder and the libraries as a run would find them, and says what is wrong.
#pragma once

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
  std::vector<std::pair<std::string, std::string>> not_built_in;  // what is missing, and what that costs
  std::vector<std::string> problems;                              // a run will fail, or will not be safe
  std::vector<std::string> notes;                                 // good to know
};

/// Takes about five seconds, mostly to measure the decoders with all workers at once, as in a run. Throws
/// Error when the folder is missing.
DoctorSummary run_doctor(const DoctorOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::commands
