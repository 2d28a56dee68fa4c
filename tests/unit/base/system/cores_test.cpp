#include "base/system/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::TemporaryFolder;

constexpr auto kMount2 = "30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cores, TheAffinityMaskCounts) {
  unsigned cores = 0;
  std::thread([&] {  // its own mask: the other tests keep theirs
    cpu_set_t mask;
    ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(::sched_setaffinity(0, sizeof mask, &mask), 0);
    cores = usable_cores();
  })
      .join();
  EXPECT_EQ(cores, 1u);
  EXPECT_GE(usable_cores(), 1u);
}

TEST(Cores, NoControlGroupsNoQuota) {
  const TemporaryFolder root;
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
}

TEST(Cores, Version2TakesTheLowestQuotaUpToTheRoot) {
  const TemporaryFolder root;
  root.write("proc/self/mountinfo", kMount2);
  root.write("proc/self/cgroup", "0::/job.slice/step\n");
  root.write("sys/fs/cgroup/job.slice/step/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/job.slice/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 2.5);
  root.write("sys/fs/cgroup/job.slice/step/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 2.5);
  root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 0.5);
}

TEST(Cores, Version1InsideAContainer) {
  const TemporaryFolder root;
  root.write("proc/self/mountinfo",
             "33 30 0:29 /docker/12ab /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
             "34 30 0:30 /docker/12ab /sys/fs/cgroup/cpuset ro,nosuid - cgroup cgroup rw,cpuset\n");
  root.write("proc/self/cgroup", "5:cpuset:/docker/12ab\n4:cpu,cpuacct:/docker/12ab\n0::/docker/12ab\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 1.5);
}

TEST(Cores, DamagedFilesAreNoQuota) {
  const TemporaryFolder root;
  root.write("proc/self/mountinfo", std::string("garbage\n - - -\n") + kMount2);
  root.write("proc/self/cgroup", "garbage\n0:\n0::/../../x\n");
  root.write("sys/fs/cgroup/cpu.max", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
}

}  // namespace
}  // namespace shardmill::base
