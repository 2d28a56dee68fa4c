#include "base/system/machine.hpp"

#include <gtest/gtest.h>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
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
}  // namespace shardmill::base
