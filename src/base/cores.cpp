#include "shardmill/base/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace shardmill::base {

namespace {

namespace fs = std::filesystem;

/// A mounted hierarchy of control groups and where in it this process is.
struct Hierarchy {
  bool version_2 = false;
  std::string root;  // the group that is mounted
  fs::path mount_point;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool lists_cpu(const std::string& comma_separated) {
  const auto names = split(comma_separated, ',');
  return std::find(names.begin(), names.end(), "cpu") != names.end();
}

/// "36 35 98:0 /group /mount/point rw,noatime master:1 - cgroup2 cgroup2 rw": the lines of
/// /proc/self/mountinfo.
std::vector<Hierarchy> cpu_hierarchies(const fs::path& root) {
  std::vector<Hierarchy> found;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 10 || words.end() - dash < 4) continue;
    const bool version_2 = dash[1] == "cgroup2";
    if (!version_2 && !(dash[1] == "cgroup" && lists_cpu(dash[3]))) continue;
    found.push_back({version_2, words[3], root / fs::path(words[4]).relative_path()});
  }
  return found;
}

/// The group this process is in, from lines like "0::/user.slice" (v2) and "4:cpu,cpuacct:/docker/1234" (v1).
std::optional<std::string> own_group(const fs::path& root, bool version_2) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version_2 ? controllers.empty() : lists_cpu(controllers)) return line.substr(second + 1);
  }
  return std::nullopt;
}

std::optional<double> quota_of(const fs::path& group, bool version_2) {
  double quota = 0;
  double period = 0;
  if (version_2) {
    std::ifstream(group / "cpu.max") >> quota >> period;  // "max" is no number and leaves 0
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

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

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> lowest;
  for (const Hierarchy& hierarchy : cpu_hierarchies(root)) {
    const auto group = own_group(root, hierarchy.version_2);
    if (!group) continue;
    // In a container the mount often shows only the container's own group, under its full name outside.
    const bool inside = hierarchy.root != "/" && group->starts_with(hierarchy.root);
    fs::path below = fs::path(inside ? group->substr(hierarchy.root.size()) : *group).relative_path();
    for (;; below = below.parent_path()) {
      const auto quota = quota_of(hierarchy.mount_point / below, hierarchy.version_2);
      if (quota && (!lowest || *quota < *lowest)) lowest = quota;
      if (below.empty()) break;
    }
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
