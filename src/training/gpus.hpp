// GpuSurvey: the GPUs of this machine, according to nvidia-smi.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::training {

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

}  // namespace shardmill::training
