#include "base/system/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "base/system/control_group.hpp"

namespace shardmill::base {

namespace {

namespace fs = std::filesystem;

std::optional<double> quota_of(const ControlGroup& group) {
  double quota = 0;
  double period = 0;
  if (group.version_2) {
    std::ifstream(group.folder / "cpu.max") >> quota >> period;  // "max" is no number and leaves 0
  } else {
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  }
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

unsigned affinity_cores() {
  // The kernel's mask may be larger than cpu_set_t: try larger ones until it fits.
  for (int cores = CPU_SETSIZE; cores <= 1 << 20; cores *= 2) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(cores) / sizeof(cpu_set_t));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<unsigned>(CPU_COUNT_S(bytes, mask.data()));
    }
  }
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> lowest;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    const auto quota = quota_of(group);
    if (quota && (!lowest || *quota < *lowest)) lowest = quota;
  }
  return lowest;
}

unsigned usable_cores() {
  unsigned cores = affinity_cores();
  if (const auto quota = cgroup_cpu_quota(); quota && *quota < cores) {
    cores = static_cast<unsigned>(std::ceil(*quota));
  }
  return std::max(1u, cores);
}

}  // namespace shardmill::base
