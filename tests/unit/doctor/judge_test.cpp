#include "doctor/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace shardmill::doctor {

namespace {

using ::testing::HasSubstr;

/// A machine on which nothing is wrong.
Node good_node() {
  Node node;
  node.machine = {.host = "a",
                  .system = "Linux 6.1.0 x86_64",
                  .cpu = {},
                  .cores = 64,
                  .affinity_cores = 64,
                  .cpu_quota = {},
                  .usable_cores = 64,
                  .memory_bytes = 1'000'000'000'000,
                  .available_bytes = 900'000'000'000,
                  .memory_limit_bytes = {},
                  .open_files = 1'000'000};
  node.open_files = 65536;
  node.shared_memory =
      SharedMemory{.kind = "tmpfs", .total_bytes = 500'000'000'000, .free_bytes = 500'000'000'000};
  node.gpus.is_installed = true;
  for (std::uint64_t i = 0; i < 8; ++i)
    node.gpus.gpus.push_back({.index = i,
                              .uuid = "GPU",
                              .name = "H100",
                              .driver = "550",
                              .compute_capability = "9.0",
                              .memory_bytes = 80'000'000'000,
                              .taken_bytes = 0});
  node.python.is_found = true;
  node.python.torch = "2.4";
  node.python.cuda = "12.1";
  node.python.sees_cuda = true;
  node.python.has_nccl_backend = true;
  node.python.devices = 8;
  node.job.ranks = 8;
  return node;
}

ShardsFacts good_shards() {
  ShardsFacts shards{.folder = "mixed", .filesystem = {}, .read = {}, .problem = {}};
  shards.filesystem.mount.kind = "ext4";
  shards.is_dataset = true;
  shards.shards = 64;
  shards.bytes = 64'000'000'000;
  shards.seconds = 2'000'000;  // 32 kB a second
  shards.read = {
      .files = 8, .bytes = 500'000'000, .bytes_per_second = 2e9, .is_from_memory = false, .problem = {}};
  return shards;
}

std::vector<std::string> kinds_of_all(const Remarks& remarks) {
  std::vector<std::string> kinds;
  for (const Remark& remark : remarks) kinds.push_back((remark.is_finding ? "" : "note ") + remark.kind);
  return kinds;
}

std::vector<std::string> kinds_found(const Node& node) {
  return kinds_of_all(judge(node));
}

using Kinds = std::vector<std::string>;

TEST(Judge, FindsNothingOnAGoodMachine) {
  Node node = good_node();
  EXPECT_EQ(kinds_found(node), Kinds{});
  node.shards = good_shards();
  EXPECT_EQ(kinds_found(node), Kinds{});
}

TEST(Judge, SpawnsWorkersOn64BitArm) {
  Node node = good_node();
  node.machine.system = "Linux 5.10.0 aarch64";
  node.python.start_method = "fork";
  const Remarks remarks = judge(node);
  ASSERT_EQ(kinds_of_all(remarks), Kinds{"note start-method"});
  EXPECT_THAT(remarks[0].what, HasSubstr("start method here is fork"));
  EXPECT_THAT(remarks[0].todo,
              HasSubstr("num_workers=4, prefetch_factor=2, multiprocessing_context=\"spawn\""));
}

TEST(Judge, ComparesSharedMemoryWithWhatBatchesTake) {
  Node node = good_node();
  const std::uint64_t needed = 8 * (4 * 2 + 1) * std::uint64_t{40'000'000};
  EXPECT_EQ(shared_memory_needed(node.job), needed);
  node.shared_memory->free_bytes = needed;
  EXPECT_EQ(kinds_found(node), Kinds{});
  node.shared_memory->free_bytes = needed - 1;
  EXPECT_EQ(kinds_found(node), Kinds{"small-shared-memory"});
  node.shared_memory = SharedMemory{.kind = "tmpfs", .total_bytes = 64 << 20, .free_bytes = 64 << 20};
  EXPECT_THAT(judge(node)[0].todo, HasSubstr("--shm-size=3g"));
  node.shared_memory = std::nullopt;
  EXPECT_EQ(kinds_found(node), Kinds{"no-shared-memory"});
  node.job.workers = 0;
  EXPECT_EQ(kinds_found(node), Kinds{});
}

TEST(Judge, CountsCoresForTheWorkersThatAreNeeded) {
  Node node = good_node();
  node.machine.usable_cores = 40;
  EXPECT_EQ(kinds_found(node), Kinds{});  // 8 x (4 + 1)
  node.machine.usable_cores = 39;
  EXPECT_EQ(kinds_found(node), Kinds{"few-cores"});
  node.job.needed = 1000;
  node.job.worker_speed = 500;
  EXPECT_EQ(kinds_found(node), Kinds{});  // two workers do
  node.job.worker_speed = 100;
  EXPECT_EQ(kinds_found(node), (Kinds{"few-workers", "few-cores"}));
}

TEST(Judge, CountsMemory) {
  Node node = good_node();
  node.machine.memory_limit_bytes = 10'000'000'000;  // 40 processes of 0.4 GB, and batches
  EXPECT_EQ(kinds_found(node), Kinds{"memory"});
}

TEST(Judge, ComparesTheDiskWithTheTrainers) {
  Node node = good_node();
  node.shards = good_shards();
  node.job.needed = 1000;
  node.job.worker_speed = 500;
  node.shards->read.bytes_per_second = 8 * 1000 * 32'000.0;
  EXPECT_EQ(kinds_found(node), Kinds{});
  node.shards->read.bytes_per_second -= 1;
  EXPECT_EQ(kinds_found(node), Kinds{"slow-disk"});
  node.shards->read.bytes = 1'000'000;  // too little to tell
  EXPECT_EQ(kinds_found(node), Kinds{});
}

TEST(Judge, NotesWhereShardsLie) {
  Node node = good_node();
  node.shards = good_shards();
  for (const char* const kind : {"nfs4", "fuse.s3fs", "tmpfs", "cifs"}) {
    node.shards->filesystem.mount.kind = kind;
    EXPECT_EQ(kinds_found(node), Kinds{"note filesystem"}) << kind;
  }
}

TEST(Judge, DividesShards) {
  Node node = good_node();
  node.shards = good_shards();
  node.shards->shards = 31;
  EXPECT_EQ(kinds_found(node), Kinds{"few-shards"});
  node.shards->shards = 65;
  EXPECT_EQ(kinds_found(node), Kinds{"uneven-shards"});
  node.shards->shards = 40;  // five a rank, for four workers
  EXPECT_EQ(kinds_found(node), Kinds{"note uneven-shards"});
}

TEST(Judge, SeesHalfAnUpdate) {
  Node node = good_node();
  node.gpus.gpus[5].driver = "470";
  EXPECT_EQ(kinds_found(node), Kinds{"drivers"});
}

TEST(Judge, PutsFindingsFirst) {
  Node node = good_node();
  node.machine.system = "Linux 5.10.0 aarch64";
  node.shards = good_shards();
  node.shards->shards = 65;
  EXPECT_EQ(kinds_found(node), (Kinds{"uneven-shards", "note start-method"}));
}

}  // namespace

}  // namespace shardmill::doctor
