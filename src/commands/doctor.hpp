// doctor: the machine, a folder on it and the libraries, as a run would find them, and what is wrong with
// them.
#pragma once

#include <string>
#include <vector>

#include "base/io/filesystem.hpp"
#include "base/reporter.hpp"
#include "base/system/library_versions.hpp"
#include "base/system/machine.hpp"
#include "check/folder_check.hpp"
#include "codec/decode_benchmark.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

struct DoctorOptions {
  std::string folder = ".";
  base::LibraryVersions libraries;  // that the caller uses
};

struct DoctorSummary {
  base::Machine machine;
  std::string folder;
  base::Filesystem filesystem;
  check::FolderCheck check;
  std::string vector_path;                   // that decodes bzip2
  std::vector<std::string> vector_paths;     // that this CPU could run, best first
  unsigned threads = 1;                      // that decoded at once
  std::vector<codec::DecodeSpeed> decoding;  // of one of them
  base::LibraryVersions versions;
  std::vector<std::string> problems;  // a run will fail, or not be safe
  std::vector<std::string> notes;     // good to know
};

/// Takes about five seconds, most of them measuring: the decoders with all workers at it at once, as in a
/// run. Throws Error when the folder is missing.
DoctorSummary run_doctor(const DoctorOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::commands
