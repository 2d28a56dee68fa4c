// Control groups: where the kernel's limits for this process are written.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace shardmill::base {

/// The folder of one group in a mounted hierarchy.
struct ControlGroup {
  std::filesystem::path folder;
  bool version_2 = false;
};

/// The groups in which `controller` ("cpu", "memory") may limit this process: its own group and those above
/// it, of both versions. `root` stands for / so that tests can bring their own /proc and /sys.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root = "/");

}  // namespace shardmill::base
