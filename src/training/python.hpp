// PythonSurvey: the torch that a training would use on this machine, according to Python itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::training {

struct PythonSurvey {
  std::string asked_for;          // the command: "python3"
  bool is_found = false;          // it could be started
  std::string problem;            // why there is no answer, or why torch cannot be imported; empty if neither
  bool is_out_of_time = false;    // the problem is that it gave no answer
  std::string executable;         // "/usr/bin/python3"
  std::string version;            // "3.11.2"
  std::string start_method;       // of multiprocessing: "fork"
  std::string torch;              // "2.4.1+cu121"; empty without torch
  std::string cuda;               // that torch was built for, or empty
  std::string hip;                // the same
  std::string nccl;               // "2.20.5", or empty
  std::string sharing;            // how tensors reach other processes: "file_descriptor"
  bool has_nccl_backend = false;  // of torch.distributed
  bool sees_cuda = false;         // torch.cuda.is_available()
  std::uint64_t devices = 0;      // torch.cuda.device_count()
  std::string cuda_warning;       // torch's warning during that call
  std::vector<std::string> kernels;  // "sm_80", "compute_90": the targets of torch's own kernels
};

/// Asks `python`, which may take `limit` to answer. If it is empty, asks python3 and python on the PATH until
/// one has torch.
PythonSurvey survey_python(const std::string& python, std::chrono::milliseconds limit);

/// Reads the answer of our script; other lines around the script's line are ignored.
PythonSurvey read_python(std::string_view output);

/// True if one of `kernels` runs on a GPU of this compute capability ("9.0").
bool runs_on(const std::vector<std::string>& kernels, std::string_view compute_capability);

}  // namespace shardmill::training
