// Node: what is true of one machine that trains, and what the job asks of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io/filesystem.hpp"
#include "base/reporter.hpp"
#include "base/system/machine.hpp"
#include "training/cold_read.hpp"
#include "training/gpus.hpp"
#include "training/python.hpp"

namespace shardmill::training {

/// What the job on this machine looks like.
struct Job {
  std::uint64_t ranks = 0;                 // on this machine; 0: one for each GPU
  std::uint64_t workers = 4;               // loader workers of each rank
  std::uint64_t prefetch = 2;              // batches that each worker has ready
  std::uint64_t batch_bytes = 40'000'000;  // ten minutes of 16 kHz audio as 32-bit floats
  bool on_cpu = false;                     // no GPU is needed
  std::optional<double> needed{};          // seconds of audio per second that the trainer of a rank takes
  std::optional<double> worker_speed{};    // the same, that a worker delivers
  bool is_speed_measured = false;          // here, decoding alone
};

struct SharedMemory {
  std::string kind;  // of the filesystem: "tmpfs"
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct ShardsFacts {
  std::string folder;
  base::Filesystem filesystem;
  bool is_dataset = false;  // shardmill made it, so its records tell the rest
  std::uint64_t shards = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;  // of audio; 0: not known
  ColdRead read;
  std::string problem;  // why there are no shards to read; empty: there are
};

struct Node {
  base::Machine machine;
  std::uint64_t open_files = 0;  // that a program may have open when it is started from here
  GpuSurvey gpus;
  std::optional<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES; none: not set
  PythonSurvey python;
  bool is_python_named = false;               // by the user, and not just looked for
  std::optional<SharedMemory> shared_memory;  // none: there is no /dev/shm
  std::optional<ShardsFacts> shards;          // none: nobody named any
  Job job;                                    // its ranks are settled

  /// The GPUs that a training would see.
  std::vector<Gpu> visible() const {
    return visible_gpus(gpus.gpus, visible_devices ? visible_devices->c_str() : nullptr);
  }
  /// The last word of "Linux 6.1.0 aarch64".
  std::string architecture() const { return machine.system.substr(machine.system.rfind(' ') + 1); }
};

/// How long and how much is tried.
struct Patience {
  std::chrono::milliseconds answer{60'000};  // of nvidia-smi and of python3
  double read_seconds = 3;
  std::uint64_t read_bytes = std::uint64_t{512} << 20;
};

/// Looks at the machine; `python` and `folder` may be empty. Writes nothing anywhere. What cannot be found
/// out becomes part of the answer.
Node survey_node(const Job& job, const std::string& python, const std::string& folder,
                 const Patience& patience, base::Reporter& reporter);

}  // namespace shardmill::training
