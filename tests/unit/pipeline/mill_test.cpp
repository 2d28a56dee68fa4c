#include "pipeline/mill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"
#include "pipeline/mill_case.hpp"

namespace shardmill::pipeline {
namespace {

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

class Mills : public MillCase {
 protected:
  Workers workers_{2, kMillBytes};
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

TEST_F(MillCase, GiveTheSameBytesForAnyNumberOfThreads) {
  const auto run_with = [&](const std::string& name, unsigned threads) {
    Workers workers(threads, kMillBytes);
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
  planned.intake.filters.min_seconds = 1000;
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
