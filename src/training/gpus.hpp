// GpuSurvey: the GPUs of this machine, as nvidia-smi tells them.
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
  std::string compute_capability{};  // "9.0"; empty: old drivers do not tell
  std::optional<std::uint64_t> memory_bytes{};
  std::optional<std::uint64_t> taken_bytes{};  // by other programs, and by the driver itself
  bool is_split = false;                       // MIG is on
};

struct GpuSurvey {
  bool is_installed = false;  // nvidia-smi was found
  std::vector<Gpu> gpus;
  std::string problem;                     // why nvidia-smi tells nothing, or not all; empty: it told all
  std::vector<std::string> strange_lines;  // that tell of no GPU
};

/// Asks nvidia-smi, which may take `limit` for each of at most three questions.
GpuSurvey survey_gpus(std::chrono::milliseconds limit);

/// Reads lines of `nvidia-smi --query-gpu=FIELDS --format=csv,noheader,nounits`; the last of `fields` must be
/// the name, which may hold commas.
GpuSurvey read_gpus(std::string_view lines, const std::vector<std::string>& fields);

/// Those that CUDA would show to a program with this value of CUDA_VISIBLE_DEVICES; null: all. A word that
/// fits none ends the list, as it does for CUDA.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const char* visible_devices);

/// "0 to 3, 5": the numbers of these GPUs.
std::string numbers_of(const std::vector<Gpu>& gpus);

}  // namespace shardmill::training
