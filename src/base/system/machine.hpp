// Machine: the machine this process runs on, and how much of it the process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace shardmill::base {

struct Machine {
  std::string host;
  std::string system;                               // "Linux 6.1.0 x86_64"
  std::string cpu;                                  // "AMD EPYC 9654 96-Core Processor"
  unsigned cores = 0;                               // that are switched on, in the whole machine
  unsigned affinity_cores = 0;                      // that the affinity mask allows
  std::optional<double> cpu_quota;                  // what the control groups allow, in cores
  unsigned usable_cores = 0;                        // the result of the three above
  std::uint64_t memory_bytes = 0;                   // of the whole machine
  std::uint64_t available_bytes = 0;                // memory that is free now
  std::optional<std::uint64_t> memory_limit_bytes;  // what the control groups allow
  std::uint64_t open_files = 0;                     // the most descriptors, once a run has raised the limit
};

Machine machine();

/// The name of the CPU; empty where /proc/cpuinfo has none. `root` stands for / here and below, so that tests
/// can bring their own /proc and /sys.
std::string cpu_model(const std::filesystem::path& root = "/");

/// The memory that programs can have without others being swapped out.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// The lowest memory limit among the control group of this process and those above it; nullopt when there is
/// none.
std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root = "/");

}  // namespace shardmill::base
