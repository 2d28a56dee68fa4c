#include "pipeline/spool_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

struct Append {
  std::uint32_t shard;
  std::uint64_t offset;
  std::string text;
};

class SpoolSetTest : public ::testing::Test {
 protected:
  static void append(SpoolSet& spools, const Append& item) {
    const auto bytes = base::as_bytes(item.text);
    spools.append(item.shard, item.offset, Bytes(bytes.begin(), bytes.end()), item.text.substr(0, 3) + "\n",
                  {});
  }

  Workers workers_{2, 64 << 20};
  const shardmill::testing::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
};

TEST_F(SpoolSetTest, BytesAndHashesDoNotDependOnTheOrderOfThreads) {
  constexpr std::uint32_t kShards = 7;
  SpoolSet spools(folder_.string(), kShards, true, workers_);
  std::vector<std::string> tars(kShards);
  std::vector<std::string> manifests(kShards);
  std::vector<Append> appends;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::uint32_t shard = i * 5 % kShards;
    const std::string text = "s" + std::to_string(i) + std::string(i % 40 + 3, 'x');
    appends.push_back({shard, spools.reserve(shard, text.size()), text});
    tars[shard] += text;
    manifests[shard] += text.substr(0, 3) + "\n";
  }
  std::shuffle(appends.begin(), appends.end(), std::mt19937(7));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < appends.size(); i += 4) append(spools, appends[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  spools.sync();
  const auto states = spools.states();
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(base::read_text(spools.manifest_path(shard)), manifests[shard]);
    EXPECT_EQ(states[shard].tar_bytes, tars[shard].size());
    EXPECT_EQ(base::read_text(spools.tar_path(shard)), tars[shard]);
    EXPECT_EQ(base::to_hex(base::Sha256::from_state(states[shard].tar_hash).digest()),
              base::sha256_hex(base::as_bytes(tars[shard])));
  }
}

TEST_F(SpoolSetTest, WhatWaitsForItsTurnIsCounted) {
  ByteBudget budget(10);
  SpoolSet spools(folder_.string(), 1, true, workers_);
  const auto put = [&](std::uint64_t offset) {
    spools.append(0, offset, Bytes(6), "line\n", BudgetShare(budget, 6));
  };
  spools.reserve(0, 12);
  put(6);
  EXPECT_FALSE(budget.has_room(5));
  put(0);
  EXPECT_TRUE(budget.has_room(10));
}

TEST_F(SpoolSetTest, GoesOnFromAState) {
  std::vector<SpoolState> states;
  {
    SpoolSet spools(folder_.string(), 1, true, workers_);
    append(spools, {0, spools.reserve(0, 5), "first"});
    spools.sync();
    states = spools.states();
    append(spools, {0, spools.reserve(0, 4), "lost"});
  }
  SpoolSet spools(folder_.string(), 1, true, workers_);
  spools.restore(states);
  append(spools, {0, spools.reserve(0, 6), "second"});
  spools.sync();
  EXPECT_EQ(base::read_text(spools.tar_path(0)), "firstsecond");
  EXPECT_EQ(base::read_text(spools.manifest_path(0)), "fir\nsec\n");
  EXPECT_EQ(base::to_hex(base::Sha256::from_state(spools.states()[0].tar_hash).digest()),
            base::sha256_hex(base::as_bytes(std::string_view("firstsecond"))));
}

TEST_F(SpoolSetTest, RefusesASpoolThatIsShorterThanItsState) {
  SpoolSet spools(folder_.string(), 1, false, workers_);
  EXPECT_THROW(spools.restore({SpoolState{.tar_bytes = 10, .manifest_bytes = 0, .tar_hash = {}}}), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
