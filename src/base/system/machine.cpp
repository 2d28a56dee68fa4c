#include "base/system/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

namespace {

namespace fs = std::filesystem;

/// A mounted hierarchy of control groups, and the group of this process in it.
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

bool lists(const std::string& comma_separated, std::string_view controller) {
  const auto names = split(comma_separated, ',');
  return std::find(names.begin(), names.end(), controller) != names.end();
}

/// Reads /proc/self/mountinfo, which has lines like "36 35 98:0 /group /mount/point rw,noatime master:1 -
/// cgroup2 cgroup2 rw".
std::vector<Hierarchy> hierarchies(std::string_view controller, const fs::path& root) {
  std::vector<Hierarchy> found;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 10 || words.end() - dash < 4) continue;
    const bool version_2 = dash[1] == "cgroup2";
    if (!version_2 && !(dash[1] == "cgroup" && lists(dash[3], controller))) continue;
    found.push_back({version_2, words[3], root / fs::path(words[4]).relative_path()});
  }
  return found;
}

/// The group this process is in, from lines like "0::/user.slice" (v2) and "4:cpu,cpuacct:/docker/1234" (v1).
std::optional<std::string> own_group(std::string_view controller, const fs::path& root, bool version_2) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version_2 ? controllers.empty() : lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view controller, const fs::path& root) {
  std::vector<ControlGroup> groups;
  for (const Hierarchy& hierarchy : hierarchies(controller, root)) {
    const auto group = own_group(controller, root, hierarchy.version_2);
    if (!group) continue;
    // In a container the mount often shows only the container's own group, under its full name outside.
    const bool inside = hierarchy.root != "/" && group->starts_with(hierarchy.root);
    fs::path below = fs::path(inside ? group->substr(hierarchy.root.size()) : *group).relative_path();
    for (;; below = below.parent_path()) {
      groups.push_back({hierarchy.mount_point / below, hierarchy.version_2});
      if (below.empty()) break;
    }
  }
  return groups;
}

namespace {

std::optional<double> quota_of(const ControlGroup& group) {
  double quota = 0;
  double period = 0;
  if (group.version_2) {
    std::ifstream(group.folder / "cpu.max") >> quota >> period;  // "max" is not a number and leaves 0
  } else {
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  }
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

unsigned affinity_cores() {
  // The kernel's mask may be larger than cpu_set_t: try larger masks until it fits.
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

namespace {

// cgroup version 1 writes the largest possible number of pages if there is no limit.
constexpr std::uint64_t kNoLimitBytes = std::uint64_t{1} << 60;

/// "model name\t: AMD EPYC" -> {"model name", "AMD EPYC"}. Of several lines with one name, the first counts.
std::map<std::string, std::string, std::less<>> read_fields(const fs::path& path) {
  constexpr std::string_view kBlanks = " \t";
  std::map<std::string, std::string, std::less<>> fields;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_last_not_of(kBlanks, colon - 1) + 1);
    const auto value = line.find_first_not_of(kBlanks, colon + 1);
    if (value != std::string::npos) fields.try_emplace(name, line.substr(value));
  }
  return fields;
}

/// Names of Arm's server cores, because /proc/cpuinfo has only numbers on Arm.
std::string arm_core(std::string_view implementer, std::string_view part) {
  struct Core {
    std::string_view implementer;
    std::string_view part;
    std::string_view name;
  };
  constexpr std::array<Core, 10> kCores{{{"0x41", "0xd07", "Cortex-A57"},
                                         {"0x41", "0xd08", "Cortex-A72"},
                                         {"0x41", "0xd0c", "Neoverse N1"},
                                         {"0x41", "0xd40", "Neoverse V1"},
                                         {"0x41", "0xd49", "Neoverse N2"},
                                         {"0x41", "0xd4f", "Neoverse V2"},
                                         {"0x48", "0xd01", "Kunpeng 920"},
                                         {"0x48", "0xd02", "Kunpeng 920"},
                                         {"0x70", "0x662", "Phytium FTC662"},
                                         {"0xc0", "0xac3", "Ampere-1"}}};
  for (const Core& core : kCores) {
    if (core.implementer == implementer && core.part == part) return std::string(core.name);
  }
  return fmt::format("Arm core {} of implementer {}", part, implementer);
}

std::optional<std::uint64_t> memory_limit_of(const ControlGroup& group) {
  std::uint64_t bytes = 0;
  // "max" is not a number and leaves 0.
  std::ifstream(group.folder / (group.version_2 ? "memory.max" : "memory.limit_in_bytes")) >> bytes;
  if (bytes == 0 || bytes >= kNoLimitBytes) return std::nullopt;
  return bytes;
}

std::uint64_t memory_of_pages(int which) {
  return static_cast<std::uint64_t>(std::max(0L, ::sysconf(which))) *
         static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
}

std::uint64_t open_file_limit() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

}  // namespace

std::string cpu_model(const fs::path& root) {
  const auto fields = read_fields(root / "proc/cpuinfo");
  for (const std::string_view name : {"model name", "Model", "Hardware"}) {
    if (const auto found = fields.find(name); found != fields.end()) return found->second;
  }
  const auto implementer = fields.find("CPU implementer");
  const auto part = fields.find("CPU part");
  if (implementer == fields.end() || part == fields.end()) return {};
  return arm_core(implementer->second, part->second);
}

std::uint64_t available_memory(const fs::path& root) {
  const auto fields = read_fields(root / "proc/meminfo");
  const auto found = fields.find("MemAvailable");
  // Without /proc, as in a bare root: the memory that is not even used as a cache, which is less.
  if (found == fields.end()) return memory_of_pages(_SC_AVPHYS_PAGES);
  return std::strtoull(found->second.c_str(), nullptr, 10) * 1024;
}

std::optional<std::uint64_t> cgroup_memory_limit(const fs::path& root) {
  std::optional<std::uint64_t> lowest;
  for (const ControlGroup& group : control_groups("memory", root)) {
    const auto limit = memory_limit_of(group);
    if (limit && (!lowest || *limit < *lowest)) lowest = limit;
  }
  return lowest;
}

Machine machine() {
  Machine machine;
  utsname name{};
  if (::uname(&name) == 0) {
    machine.host = name.nodename;
    machine.system = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  }
  machine.cpu = cpu_model();
  machine.cores = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  machine.affinity_cores = affinity_cores();
  machine.cpu_quota = cgroup_cpu_quota();
  machine.usable_cores = usable_cores();
  machine.memory_bytes = memory_of_pages(_SC_PHYS_PAGES);
  machine.available_bytes = available_memory();
  machine.memory_limit_bytes = cgroup_memory_limit();
  machine.open_files = open_file_limit();
  return machine;
}

namespace {

constexpr double kEnoughSeconds = 0.1;
constexpr int kMostRounds = 100;

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double cpu_speed(const std::function<double()>& work) {
  double best = 0;
  double spent = 0;
  for (int round = 0; round < kMostRounds && spent < kEnoughSeconds; ++round) {
    const double start = thread_cpu_seconds();
    const double units = work();
    const double seconds = thread_cpu_seconds() - start;
    spent += seconds;
    if (seconds > 0) best = std::max(best, units / seconds);
  }
  return best;
}

}  // namespace shardmill::base
