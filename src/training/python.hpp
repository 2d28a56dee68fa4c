// PythonSurvey: which torch a training would run with here, as Python itself tells.
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
  std::string problem;            // why it told nothing, or why torch cannot be imported; empty: no trouble
  bool is_out_of_time = false;    // the problem is that it gave no answer
  std::string executable;         // "/usr/bin/python3"
  std::string version;            // "3.11.2"
  std::string start_method;       // of multiprocessing: "fork"
  std::string torch;              // "2.4.1+cu121"; empty: there is none
  std::string cuda;               // that torch was built for; empty: none
  std::string hip;                // the same
  std::string nccl;               // "2.20.5"; empty: none
  std::string sharing;            // how tensors reach other processes: "file_descriptor"
  bool has_nccl_backend = false;  // of torch.distributed
  bool sees_cuda = false;         // torch.cuda.is_available()
  std::uint64_t devices = 0;      // torch.cuda.device_count()
  std::string cuda_warning;       // what torch said when it was asked that
  std::vector<std::string> kernels;  // "sm_80", "compute_90": what torch's own kernels were compiled for
};

/// Asks `python`, which may take `limit` to answer; where it is empty, python3 and python on the PATH, until
/// one has torch.
PythonSurvey survey_python(const std::string& python, std::chrono::milliseconds limit);

/// What the answer of our script says; the script's line may stand among others.
PythonSurvey read_python(std::string_view output);

/// True when one of `kernels` runs on a GPU of this compute capability ("9.0").
bool runs_on(const std::vector<std::string>& kernels, std::string_view compute_capability);

}  // namespace shardmill::training
