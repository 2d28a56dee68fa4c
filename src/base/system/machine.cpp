#include "base/system/machine.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string_view>

#include "base/system/control_group.hpp"
#include "base/system/cores.hpp"

namespace shardmill::base {

namespace {

namespace fs = std::filesystem;

// cgroup version 1 writes the largest possible number of pages where there is no limit.
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

/// Names of Arm's server cores, because /proc/cpuinfo has only numbers there.
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
  // "max" is no number and leaves 0.
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
  // Without /proc, as in a bare root: what nobody uses, even as a cache. That is less, but not nothing.
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

}  // namespace shardmill::base
