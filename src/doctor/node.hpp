// Node: the facts about one machine that trains, its GPUs and its torch, and the demands of the job on it.
// LoaderTrial: the audio that one loader worker delivers in Python, measured by running one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/filesystem.hpp"
#include "base/reporter.hpp"
#include "base/system/machine.hpp"
#include "ranks/shards.hpp"

namespace shardmill::doctor {

/// One reader on the shards of one codec.
struct LoaderTrial {
  std::string reader;  // "tarfile and torchaudio"
  std::string codec;   // of the shards: "none", "zstd"
  std::uint64_t samples = 0;
  double audio_seconds = 0;
  double seconds = 0;
  std::string problem{};  // why the reader cannot read these shards; empty if it can

  bool is_good() const noexcept { return problem.empty() && seconds > 0 && audio_seconds > 0; }
  /// Seconds of audio per second; 0 unless is_good().
  double speed() const noexcept { return is_good() ? audio_seconds / seconds : 0; }
};

struct LoaderSurvey {
  std::vector<LoaderTrial> trials;  // the readers that WeNet and others use come first
  std::string problem{};            // why nothing was measured
};

/// Runs each reader that `python` has on shards of each codec for about `seconds`: Python's tarfile with
/// torchaudio or soundfile, and shardmill.torch on the dataset `folder`, which may be empty. The files are
/// read beforehand, so the disk does not count.
LoaderSurvey survey_loaders(const std::string& python, const std::vector<ranks::RankShard>& shards,
                            const std::string& folder, double seconds, std::chrono::milliseconds limit);

/// Reads the answer of our script; other lines around the script's line are ignored.
LoaderSurvey read_loaders(std::string_view output);

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

struct Gpu {
  std::uint64_t index = 0;  // nvidia-smi's, in the order of the PCI bus
  std::string uuid{};
  std::string name{};
  std::string driver{};
  std::string compute_capability{};  // "9.0"; empty with old drivers
  std::optional<std::uint64_t> memory_bytes{};
  std::optional<std::uint64_t> taken_bytes{};  // by other programs, and by the driver itself
  bool is_split = false;                       // MIG is on
};

struct GpuSurvey {
  bool is_installed = false;  // nvidia-smi was found
  std::vector<Gpu> gpus;
  std::string problem;                     // why the list is missing or not complete; empty if it is complete
  std::vector<std::string> strange_lines;  // lines of nvidia-smi that are not a GPU
};

/// Asks nvidia-smi, which may take `limit` for each of at most three questions.
GpuSurvey survey_gpus(std::chrono::milliseconds limit);

/// Reads lines of `nvidia-smi --query-gpu=FIELDS --format=csv,noheader,nounits`; the last of `fields` must be
/// the name, which may hold commas.
GpuSurvey read_gpus(std::string_view lines, const std::vector<std::string>& fields);

/// The GPUs that CUDA shows to a program with this value of CUDA_VISIBLE_DEVICES; null: all. A word that fits
/// no GPU ends the list, as in CUDA.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const char* visible_devices);

/// "0 to 3, 5": the numbers of these GPUs.
std::string numbers_of(const std::vector<Gpu>& gpus);

/// The speed of files from the disk or the network, not from memory.
struct ColdRead {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;
  bool is_from_memory = false;  // the system did not drop its cached pages of the files
  std::string problem;          // why a file could not be read

  /// With less than this, opening files and the first answers of a disk take most of the time.
  static constexpr std::uint64_t kEnoughBytes = 16'000'000;
  bool tells_speed() const noexcept { return bytes >= kEnoughBytes; }
};

/// Reads the beginnings of some of the files, one after the other as a loader worker does, until `most_bytes`
/// are read or `seconds` are over. First asks the system to drop its cached pages of them.
ColdRead read_cold(const std::vector<std::string>& paths, std::uint64_t most_bytes, double seconds,
                   base::Reporter& reporter);

/// The training job on this machine.
struct Job {
  std::uint64_t ranks = 0;                 // on this machine; 0: one for each GPU
  std::uint64_t workers = 4;               // loader workers of each rank
  std::uint64_t prefetch = 2;              // batches that each worker has ready
  std::uint64_t batch_bytes = 40'000'000;  // ten minutes of 16 kHz audio as 32-bit floats
  bool on_cpu = false;                     // no GPU is needed
  std::optional<double> needed{};          // seconds of audio per second that the trainer of a rank takes
  std::optional<double> worker_speed{};    // seconds of audio per second that a worker delivers
  bool is_speed_measured = false;          // on this machine
  std::string speed_basis{};               // the measured work: "decoding alone", "tarfile and soundfile"
};

struct SharedMemory {
  std::string kind;  // of the filesystem: "tmpfs"
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct ShardsFacts {
  std::string folder;
  base::Filesystem filesystem;
  bool is_dataset = false;  // shardmill made it, so it has records
  std::uint64_t shards = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;  // of audio; 0 if unknown
  ColdRead read;
  std::string problem;  // why no shard can be read; empty if one can
};

struct Node {
  base::Machine machine;
  std::uint64_t open_files = 0;  // the limit for programs that are started from here
  GpuSurvey gpus;
  std::optional<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES, if it is set
  PythonSurvey python;
  bool is_python_named = false;               // the user named it
  std::optional<SharedMemory> shared_memory;  // nullopt without /dev/shm
  std::optional<ShardsFacts> shards;          // nullopt if the user named no folder
  std::optional<LoaderSurvey> loaders;        // nullopt if the user did not ask for it
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

}  // namespace shardmill::doctor
