#include "base/system/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <ctime>
#include <thread>

#include "support/command_output.hpp"
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

namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

TEST(Machine, AgreesWithTheProgramsOfTheSystem) {
  const Machine found = machine();
  EXPECT_EQ(found.host + "\n", command_output("uname -n"));
  EXPECT_EQ(found.system + "\n", command_output("uname -srm"));
  EXPECT_EQ(std::to_string(found.cores) + "\n", command_output("getconf _NPROCESSORS_ONLN"));
  EXPECT_EQ(std::to_string(found.memory_bytes / 1024) + "\n",
            command_output("awk '/^MemTotal/ { print $2 }' /proc/meminfo"));
  EXPECT_EQ(std::to_string(found.open_files) + "\n", command_output("ulimit -Hn"));
  EXPECT_GE(found.usable_cores, 1u);
  EXPECT_LE(found.usable_cores, found.affinity_cores);
  EXPECT_LE(found.available_bytes, found.memory_bytes);
}

TEST(Machine, NamesTheCpu) {
  const TemporaryFolder root;
  EXPECT_EQ(cpu_model(root.path()), "");
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: AMD EPYC 9654\ncpu MHz\t\t: 2400\n\nmodel name\t: 2nd\n");
  EXPECT_EQ(cpu_model(root.path()), "AMD EPYC 9654");
}

TEST(Machine, NamesTheCoresOfArm) {
  const TemporaryFolder root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nCPU implementer\t: 0x48\nCPU part\t: 0xd01\nCPU revision\t: 0\n");
  EXPECT_EQ(cpu_model(root.path()), "Kunpeng 920");
  root.write("proc/cpuinfo", "CPU implementer\t: 0x99\nCPU part\t: 0x123\n");
  EXPECT_EQ(cpu_model(root.path()), "Arm core 0x123 of implementer 0x99");
}

TEST(Machine, AvailableMemoryIsToldWithoutProcToo) {
  const TemporaryFolder root;
  EXPECT_GT(available_memory(root.path()), 0u);
  EXPECT_LE(available_memory(root.path()), machine().memory_bytes);
  root.write("proc/meminfo",
             "MemTotal:        2000 kB\nMemFree:          100 kB\nMemAvailable:    1000 kB\n");
  EXPECT_EQ(available_memory(root.path()), 1000u * 1024);
}

TEST(Machine, TheLowestMemoryLimitCounts) {
  const TemporaryFolder root;
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
  root.write("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
  root.write("proc/self/cgroup", "0::/job.slice/step\n");
  root.write("sys/fs/cgroup/job.slice/step/memory.max", "max\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/job.slice/memory.max", "2147483648\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), 2147483648u);
  root.write("sys/fs/cgroup/job.slice/step/memory.max", "1073741824\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), 1073741824u);
}

TEST(Machine, Version1WritesAHugeNumberForNoLimit) {
  const TemporaryFolder root;
  root.write("proc/self/mountinfo", "33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  root.write("proc/self/cgroup", "9:memory:/job\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), 536870912u);
}

}  // namespace

namespace {

/// Keeps the processor busy until this much CPU time is spent.
void work_for(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST(CpuSpeed, CountsUnitsOfWorkASecond) {
  const double speed = cpu_speed([] {
    work_for(0.01);
    return 5.0;
  });
  EXPECT_GT(speed, 5 / 0.02);
  EXPECT_LT(speed, 5 / 0.005);
}

TEST(CpuSpeed, LongWorkIsDoneOnce) {
  int rounds = 0;
  cpu_speed([&] {
    ++rounds;
    work_for(0.12);
    return 1.0;
  });
  EXPECT_EQ(rounds, 1);
}

TEST(CpuSpeed, OfNoWorkIsZero) {
  EXPECT_EQ(cpu_speed([] { return 0.0; }), 0);
}

}  // namespace

}  // namespace shardmill::base
