#include "base/system/control_group.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

/// The groups below `root`, "2:sys/fs/cgroup/a 2:sys/fs/cgroup".
std::string groups(const std::string& mounts, const std::string& own, std::string_view controller = "cpu") {
  const testing::TemporaryFolder root;
  root.write("proc/self/mountinfo", mounts);
  root.write("proc/self/cgroup", own);
  std::string out;
  for (const ControlGroup& group : control_groups(controller, root.path())) {
    if (!out.empty()) out += ' ';
    out += group.version_2 ? "2:" : "1:";
    std::string folder = group.folder.lexically_relative(root.path()).string();
    if (folder.ends_with('/')) folder.pop_back();
    out += folder;
  }
  return out;
}

const std::string kVersion2 = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const std::string kVersion1 =
    "31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 20 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

TEST(ControlGroup, Version2GoesFromTheOwnGroupUpToTheRoot) {
  EXPECT_EQ(groups(kVersion2, "0::/user.slice/job\n"),
            "2:sys/fs/cgroup/user.slice/job 2:sys/fs/cgroup/user.slice 2:sys/fs/cgroup");
  EXPECT_EQ(groups(kVersion2, "0::/\n"), "2:sys/fs/cgroup");
}

TEST(ControlGroup, Version1HasAHierarchyForEachController) {
  const std::string own = "5:cpu,cpuacct:/a\n4:memory:/b\n";
  EXPECT_EQ(groups(kVersion1, own), "1:sys/fs/cgroup/cpu,cpuacct/a 1:sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(groups(kVersion1, own, "memory"), "1:sys/fs/cgroup/memory/b 1:sys/fs/cgroup/memory");
  // "cpu" is no part of "cpuset".
  EXPECT_EQ(groups("31 20 0:27 / /c rw - cgroup cgroup rw,cpuset\n", "5:cpuset:/a\n"), "");
}

TEST(ControlGroup, BothVersionsAtOnceAreBothAsked) {
  EXPECT_EQ(groups(kVersion2 + kVersion1, "5:cpu:/a\n0::/b\n"),
            "2:sys/fs/cgroup/b 2:sys/fs/cgroup 1:sys/fs/cgroup/cpu,cpuacct/a 1:sys/fs/cgroup/cpu,cpuacct");
}

TEST(ControlGroup, AContainerSeesItsOwnGroupMounted) {
  const std::string mounts = "30 20 0:26 /docker/12 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(groups(mounts, "0::/docker/12/job\n"), "2:sys/fs/cgroup/job 2:sys/fs/cgroup");
  EXPECT_EQ(groups(mounts, "0::/docker/12\n"), "2:sys/fs/cgroup");
}

TEST(ControlGroup, LinesThatMakeNoSenseAreNoGroups) {
  EXPECT_EQ(groups("", ""), "");
  EXPECT_EQ(groups("x\n - \n30 20 0:26 / /c rw -\n30 20 0:26 / /c rw - cgroup2\n", "0::/a\n"), "");
  EXPECT_EQ(groups(kVersion2, "nothing\n:\n"), "");
}

}  // namespace
}  // namespace shardmill::base
