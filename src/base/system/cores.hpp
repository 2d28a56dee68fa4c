// Cores: how many this process may use, which is often fewer than the machine has.
#pragma once

#include <filesystem>
#include <optional>

namespace shardmill::base {

/// What the affinity mask and the CPU quotas of the control groups allow, at least 1. A quota of 2.5 cores
/// counts as 3.
unsigned usable_cores();

/// What the affinity mask alone allows.
unsigned affinity_cores();

/// The lowest CPU quota, in cores, among the control group of this process and those above it (both
/// versions); nullopt when there is none. `root` stands for / so that tests can bring their own /proc and
/// /sys.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

}  // namespace shardmill::base
