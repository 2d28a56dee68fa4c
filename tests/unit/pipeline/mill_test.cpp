#include "pipeline/mill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "archive/tar_walk.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;

/// Asks to stop when it was asked `questions` times whether to.
class StoppingReporter final : public base::Reporter {
 public:
  explicit StoppingReporter(int questions) : left_(questions) {}
  void warn(const Error&) override {}
  void fail(const Error&) override {}
  void phase(std::string_view) override {}
  int stop_signal() const noexcept override { return left_-- > 0 ? 0 : 15; }

 private:
  mutable std::atomic<int> left_;
};

class MillsOfAnySize : public ::testing::Test {
 protected:
  MillsOfAnySize() {
    for (const std::string name : {"a", "b"}) {
      inputs_.datasets.push_back({.name = name});
      inputs_.streams.push_back(
          {.name = name, .datasets = {static_cast<std::uint32_t>(inputs_.streams.size())}});
    }
    add_shard(0, "a0", 60);
    add_shard(0, "a1", 30);
    add_shard(1, "b0", 45);
  }

  void add_shard(std::size_t stream, const std::string& name, unsigned count) {
    std::vector<std::pair<std::string, std::string>> files;
    for (unsigned i = 0; i < count; ++i) {
      const std::string key = name + "_" + std::to_string(i);
      files.emplace_back(key + ".txt", "words of " + key);
      files.emplace_back(key + ".wav", testing::made_wav(1600 + 97 * (i * i % 41), i));
    }
    const std::string content = codec::testing::through("bzip2 -1c", archive::make_tar(files));
    inputs_.streams[stream].files.push_back({.path = folder_.write(name, content), .bytes = content.size()});
  }

  /// For a work folder of its own.
  MillPlan plan(const std::string& name) {
    MillPlan plan;
    plan.inputs = inputs_;
    plan.interleave = 2;
    plan.shards = 3;
    plan.work_folder = folder_.file(name);
    plan.fingerprint = "a test";
    base::make_folders(plan.work_folder + "/spool");
    return plan;
  }

  /// The SHA-256 of the tars of all shards.
  static std::vector<std::string> tars(Mill& mill) {
    std::vector<std::string> sums;
    for (std::uint32_t shard = 0; shard < mill.spools().size(); ++shard) {
      const std::string tar = base::read_text(mill.spools().tar_path(shard), kMostBytes);
      sums.push_back(base::sha256_hex(base::as_bytes(tar)));
    }
    return sums;
  }

  std::vector<std::string> run(const MillPlan& plan, Workers& workers) {
    Mill mill(plan, workers, reporter_);
    mill.run();
    return tars(mill);
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  Inputs inputs_;
};

class Mills : public MillsOfAnySize {
 protected:
  Workers workers_{2, kMostBytes};
};

TEST_F(Mills, PutEverySampleIntoOneShard) {
  const MillPlan planned = plan("work");
  Mill mill(planned, workers_, reporter_);
  EXPECT_FALSE(mill.resume());
  mill.run();
  EXPECT_EQ(mill.counts().taken, 135U);
  EXPECT_TRUE(mill.counts().left_out.empty());
  std::vector<std::string> names;
  for (std::uint32_t shard = 0; shard < planned.shards; ++shard) {
    const shard::ShardTally& tally = mill.tallies()[shard];
    EXPECT_EQ(tally.datasets[0].samples, 30U);
    EXPECT_EQ(tally.datasets[1].samples, 15U);
    const base::File tar = base::File::open_read(mill.spools().tar_path(shard));
    const auto files = archive::walk_tar(tar).files;
    EXPECT_EQ(files.size(), 90U);
    for (const auto& file : files) names.push_back(file.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(names.size(), 270U);
}

TEST_F(MillsOfAnySize, GiveTheSameBytesForAnyNumberOfThreads) {
  const auto run_with = [&](const std::string& name, unsigned threads) {
    Workers workers(threads, kMostBytes);
    return run(plan(name), workers);
  };
  EXPECT_EQ(run_with("one", 1), run_with("four", 4));
}

TEST_F(Mills, GiveTheSameBytesWhereverTheyWereStopped) {
  const std::vector<std::string> whole = run(plan("whole"), workers_);
  MillPlan stopped = plan("stopped");
  stopped.checkpoints.input_bytes = 1;  // a checkpoint after every unit
  int stops = 0;
  for (int patience = 2;; patience += 3) {
    StoppingReporter reporter(patience);
    Mill mill(stopped, workers_, reporter);
    try {
      mill.resume();
      mill.run();
    } catch (const base::Interrupted&) {
      ++stops;
      continue;
    }
    EXPECT_EQ(tars(mill), whole);
    EXPECT_EQ(mill.counts().taken, 135U);
    break;
  }
  EXPECT_GT(stops, 2);
}

TEST_F(Mills, DoNothingTwice) {
  const MillPlan planned = plan("work");
  const std::vector<std::string> whole = run(planned, workers_);
  Mill again(planned, workers_, reporter_);
  EXPECT_TRUE(again.resume());
  again.run();
  EXPECT_EQ(tars(again), whole);
}

TEST_F(Mills, RecordWhatCannotBeReadAsLeftOut) {
  MillPlan planned = plan("work");
  planned.intake.on_error = OnError::skip;
  planned.unusable.push_back({.what = source::Unusable::What::audio,
                              .key = "gone",
                              .error = Error("is not there", at("gone.wav")),
                              .dataset = "a"});
  Mill mill(planned, workers_, reporter_);
  mill.run();
  EXPECT_EQ(mill.counts().taken, 135U);
  ASSERT_EQ(mill.counts().left_out.size(), 1U);
  EXPECT_EQ(mill.counts().left_out.begin()->second, 1U);
}

TEST_F(Mills, StopAtTheLimit) {
  MillPlan planned = plan("work");
  planned.intake.limit = 12;
  Mill mill(planned, workers_, reporter_);
  mill.run();
  EXPECT_EQ(mill.counts().taken, 12U);
}

TEST_F(Mills, NeedASampleForEveryShard) {
  MillPlan planned = plan("work");
  planned.intake.limit = 2;
  Mill mill(planned, workers_, reporter_);
  EXPECT_THROW(mill.run(), Error);
}

TEST_F(Mills, SayThatNothingIsLeft) {
  MillPlan planned = plan("work");
  planned.intake.min_seconds = 1000;
  Mill mill(planned, workers_, reporter_);
  try {
    mill.run();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(error.problem().starts_with("all samples were left out: 135 ")) << error.problem();
  }
}

}  // namespace
}  // namespace shardmill::pipeline
