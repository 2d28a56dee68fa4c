// The machine this process runs on, and the share of it that the process may use. `root` replaces / in all
// functions, so that tests can bring their own /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

/// The folder of one group in a mounted hierarchy.
struct ControlGroup {
  std::filesystem::path folder;
  bool version_2 = false;
};

/// The control groups in which `controller` ("cpu", "memory") may limit this process: its own group and those
/// above it, of both versions.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root = "/");

/// The number of cores that the affinity mask and the CPU quotas of the control groups allow, at least 1. A
/// quota of 2.5 cores counts as 3.
unsigned usable_cores();

/// The number of cores that the affinity mask allows.
unsigned affinity_cores();

/// The lowest CPU quota, in cores, of the control group of this process and those above it (both versions);
/// nullopt if no group has a quota.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

struct Machine {
  std::string host;
  std::string system;                               // "Linux 6.1.0 x86_64"
  std::string cpu;                                  // "AMD EPYC 9654 96-Core Processor"
  unsigned cores = 0;                               // cores that are switched on, in the whole machine
  unsigned affinity_cores = 0;                      // cores that the affinity mask allows
  std::optional<double> cpu_quota;                  // cores that the control groups allow
  unsigned usable_cores = 0;                        // the result of the three above
  std::uint64_t memory_bytes = 0;                   // of the whole machine
  std::uint64_t available_bytes = 0;                // memory that is free now
  std::optional<std::uint64_t> memory_limit_bytes;  // memory that the control groups allow
  std::uint64_t open_files = 0;                     // the most descriptors, after a run has raised the limit
};

Machine machine();

/// The name of the CPU; empty if /proc/cpuinfo has none.
std::string cpu_model(const std::filesystem::path& root = "/");

/// The memory that programs can get without swapping others out.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// The lowest memory limit of the control group of this process and those above it; nullopt if no group has a
/// limit.
std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root = "/");

/// Measures the units of work per second in one thread; `work` returns the number of units that it did.
/// Returns the fastest of several rounds, which together take a tenth of a second, or of one round if that
/// takes longer. Only CPU time counts, so a busy machine does not matter. Returns 0 if no work was done.
double cpu_speed(const std::function<double()>& work);

}  // namespace shardmill::base
