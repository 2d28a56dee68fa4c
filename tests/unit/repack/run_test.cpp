#include "repack/run.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/silent_reporter.hpp"

namespace shardmill::repack {
namespace {

using Steps = std::vector<std::string>;

/// Writes down what it is told to do.
class ToldHome final : public Home {
 public:
  explicit ToldHome(Steps& steps) : Home("nowhere"), steps_(steps) {}

  bool is_untouched() const override { return untouched; }
  bool is_finished() const override { return false; }
  void lock(const RunOptions&, base::Reporter&) override { steps_.emplace_back("lock"); }
  void complete() override { steps_.emplace_back("complete"); }
  bool is_promised() const override { return promised; }
  void publish(const std::vector<NewFiles>& files) override {
    steps_.push_back("publish " + std::to_string(files.size()));
    promised = true;
    if (fails_to_publish) throw Error("the disk is full");
    promised = false;
  }
  void remove_work() override { steps_.emplace_back("remove work"); }

  bool untouched = false;
  bool promised = false;
  bool fails_to_publish = false;

 private:
  Steps& steps_;
};

class ToldRun final : public Run<int> {
 public:
  ToldRun(Home& home, const RunOptions& options, base::Reporter& reporter, Steps& steps)
      : Run(home, options, reporter), steps_(steps) {}

  int foretell() override { return step("foretell", 7); }
  std::optional<int> find() override {
    steps_.emplace_back("find");
    if (finds_after-- > 0) return std::nullopt;
    return 1;
  }
  void check() override { steps_.emplace_back("check"); }
  void leave(const int&) override { steps_.emplace_back("leave"); }
  void prepare() override { steps_.emplace_back("prepare"); }
  Made<int> make() override {
    if (fails) throw Error("a sample is bad");
    return {.summary = step("make", 2), .files = files, .keeps_work = keeps_work};
  }
  bool is_work_worth_keeping() const override { return is_worth_keeping; }

  int finds_after = 99;
  bool fails = false;
  bool is_worth_keeping = false;
  bool keeps_work = false;
  std::vector<NewFiles> files{{}};

 private:
  int step(const std::string& name, int result) {
    steps_.push_back(name);
    return result;
  }

  Steps& steps_;
};

class Runs : public ::testing::Test {
 protected:
  testing::SilentReporter reporter_;
  RunOptions options_;
  Steps steps_;
  ToldHome home_{steps_};
  ToldRun run_{home_, options_, reporter_, steps_};
};

TEST_F(Runs, MakeTheResultStepByStep) {
  EXPECT_EQ(run_.run(), 2);
  EXPECT_EQ(steps_,
            (Steps{"check", "lock", "complete", "find", "prepare", "make", "publish 1", "remove work"}));
}

TEST_F(Runs, FindTheResultWithoutALockWhereNobodyIsAtWork) {
  home_.untouched = true;
  run_.finds_after = 0;
  EXPECT_EQ(run_.run(), 1);
  EXPECT_EQ(steps_, Steps{"find"});
}

TEST_F(Runs, FindTheResultOfWhoHeldTheLockBefore) {
  run_.finds_after = 0;
  EXPECT_EQ(run_.run(), 1);
  EXPECT_EQ(steps_, (Steps{"check", "lock", "complete", "find", "leave"}));
}

TEST_F(Runs, LookAgainUnderTheLock) {
  home_.untouched = true;
  run_.finds_after = 1;
  EXPECT_EQ(run_.run(), 1);
  EXPECT_EQ(steps_, (Steps{"find", "check", "lock", "complete", "find", "leave"}));
}

TEST_F(Runs, OnlyForetellWhereNothingMayBeDone) {
  options_.dry_run = true;
  EXPECT_EQ(run_.run(), 7);
  EXPECT_EQ(steps_, Steps{"foretell"});
}

TEST_F(Runs, RemoveWorkThatNobodyCanGoOnWith) {
  run_.fails = true;
  EXPECT_THROW(run_.run(), Error);
  EXPECT_EQ(steps_.back(), "remove work");
}

TEST_F(Runs, KeepWorkThatTheNextRunGoesOnWith) {
  run_.fails = true;
  run_.is_worth_keeping = true;
  EXPECT_THROW(run_.run(), Error);
  EXPECT_EQ(steps_.back(), "prepare");
}

TEST_F(Runs, KeepWhatIsPromised) {
  home_.fails_to_publish = true;
  EXPECT_THROW(run_.run(), Error);
  EXPECT_EQ(steps_.back(), "publish 1");
}

TEST_F(Runs, PublishNothingWhereNothingChanges) {
  run_.files.clear();
  EXPECT_EQ(run_.run(), 2);
  EXPECT_EQ(steps_.back(), "remove work");
  steps_.clear();
  run_.keeps_work = true;
  run_.run();
  EXPECT_EQ(steps_.back(), "make");
}

}  // namespace
}  // namespace shardmill::repack
