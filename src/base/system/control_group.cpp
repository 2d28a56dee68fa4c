#include "base/system/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

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

}  // namespace shardmill::base
