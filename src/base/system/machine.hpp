// Machine: what this process runs on, and what of it the process may use.
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
  unsigned cores = 0;                               // of the machine, those that are switched on
  unsigned affinity_cores = 0;                      // that the affinity mask leaves
  std::optional<double> cpu_quota;                  // of the control groups, in cores
  unsigned usable_cores = 0;                        // what all this comes to
  std::uint64_t memory_bytes = 0;                   // of the machine
  std::uint64_t available_bytes = 0;                // of memory, now
  std::optional<std::uint64_t> memory_limit_bytes;  // of the control groups
  std::uint64_t open_files = 0;                     // at most, as a run raises it
};

Machine machine();

/// The name of the CPU; empty where /proc/cpuinfo has none. `root` stands for / so that tests can bring their
/// own /proc and /sys; so below.
std::string cpu_model(const std::filesystem::path& root = "/");

/// The lowest memory limit of the control group that this process is in and of those above it; nullopt when
/// there is none.
std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root = "/");

}  // namespace shardmill::base
