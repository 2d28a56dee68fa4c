#include "library/observing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "shardmill/error.hpp"

namespace shardmill::library {
namespace {

class Recorder final : public Observer {
 public:
  void warn(const Error& warning) override { heard += "warn " + warning.problem() + ";"; }
  void fail(const Error& error) override { heard += "fail " + error.problem() + ";"; }
  void progress(const Progress& so_far) override { samples = so_far.samples; }
  void phase(std::string_view name) override { heard += "phase " + std::string(name) + ";"; }
  bool stop_requested() const noexcept override { return stop; }

  std::string heard;
  bool stop = false;
  std::atomic<std::uint64_t> samples{0};
};

TEST(ObservingReporter, PassesEverythingOn) {
  Recorder observer;
  ObservingReporter reporter(observer);
  reporter.warn(Error("w"));
  reporter.fail(Error("f"));
  reporter.phase("p");
  EXPECT_EQ(observer.heard, "warn w;fail f;phase p;");
  EXPECT_NO_THROW(reporter.check_stop());
  observer.stop = true;
  EXPECT_THROW(reporter.check_stop(), Interrupted);
}

TEST(ObservingReporter, TellsTheProgressUntilTheEnd) {
  Recorder observer;
  {
    ObservingReporter reporter(observer);
    reporter.progress().samples = 7;
    while (observer.samples != 7) std::this_thread::yield();  // told while the work goes on
    reporter.progress().samples = 9;
  }
  EXPECT_EQ(observer.samples, 9u);
}

TEST(Limits, NoNumberOfThreadsStandsForAllCores) {
  EXPECT_GE(threads_of({}), 1u);
  EXPECT_EQ(threads_of({.threads = 3}), 3u);
}

class Heard final : public Observer {
 public:
  void warn(const Error& warning) override { warnings.emplace_back(warning.what()); }
  void fail(const Error& error) override { failures.emplace_back(error.what()); }

  std::vector<std::string> warnings;
  std::vector<std::string> failures;
};

shard::GroupedSample sample_with(const std::string& damage) {
  shard::GroupedSample sample;
  sample.sample.key = "k";
  sample.damage = damage;
  return sample;
}

TEST(Refusals, DamageIsThrown) {
  Heard heard;
  Refusals refusals("a.tar", {}, heard);
  EXPECT_TRUE(refusals.accept(sample_with("")));
  EXPECT_THROW(refusals.accept(sample_with("lost")), Error);
  EXPECT_THROW(refusals.take({ShardProblem::truncated, "k.wav", 0, 0, "cut"}), Error);
  EXPECT_TRUE(heard.failures.empty());
}

TEST(Refusals, DamageIsToldWhereItIsPassedOver) {
  Heard heard;
  Refusals refusals("a.tar", {.skip_damage = true, .limits = {}}, heard);
  EXPECT_FALSE(refusals.accept(sample_with("lost")));
  refusals.take({ShardProblem::truncated, "k.wav", 0, 0, "cut"});
  refusals.refuse(Error("broken"));
  EXPECT_EQ(heard.failures, (std::vector<std::string>{"a.tar: member 'k': lost", "a.tar: member 'k.wav': cut",
                                                      "a.tar: broken"}));
}

TEST(Refusals, ALossIsToldOnce) {
  Heard heard;
  Refusals refusals("a.tar.bz2", {.skip_damage = true, .limits = {}}, heard);
  refusals.refuse(Error("block 3 is damaged"));
  refusals.take({ShardProblem::gap, "k.wav", 700, 0, "bytes are missing here"});
  refusals.take({ShardProblem::resumed, "", 900, 200, "reading goes on"});
  EXPECT_FALSE(refusals.accept(sample_with("its member 'k.wav' is lost: bytes are missing here")));
  refusals.refuse(Error("block 5 is damaged"));
  refusals.take({ShardProblem::gap, "", 2000, 0, "bytes are missing here"});
  refusals.take({ShardProblem::truncated, "", 2000, 0, "no further header was found in 0 bytes"});
  EXPECT_FALSE(refusals.accept(sample_with("its member 'k.txt' is lost: another reason")));
  EXPECT_EQ(heard.failures, (std::vector<std::string>{
                                "a.tar.bz2: block 3 is damaged",
                                "a.tar.bz2: member 'k.wav': bytes are missing here",
                                "a.tar.bz2: block 5 is damaged",
                                "a.tar.bz2: member 'k': its member 'k.txt' is lost: another reason",
                            }));
}

TEST(Refusals, APlainTarSaysAtWhichByteItIsDamaged) {
  Heard heard;
  Refusals refusals("a.tar", {.skip_damage = true, .limits = {}}, heard, Refusals::Offsets::of_file);
  refusals.take({ShardProblem::bad_header, "", 1536, 0, "no header"});
  EXPECT_EQ(heard.failures, (std::vector<std::string>{"a.tar: offset 1536: no header"}));
}

TEST(Refusals, WhatIsOnlyOddIsAWarning) {
  Heard heard;
  Refusals refusals("a.tar", {}, heard);
  refusals.take({ShardProblem::odd_name, "../k.wav", 0, 0, "odd"});
  refusals.take({ShardProblem::link, "latest", 0, 0, "a link"});
  EXPECT_EQ(heard.warnings,
            (std::vector<std::string>{"a.tar: member '../k.wav': odd", "a.tar: member 'latest': a link"}));
}

TEST(Refusals, AMemberOfASampleThatCannotBeReadIsDamage) {
  Heard heard;
  EXPECT_THROW(Refusals("a.tar", {}, heard).take({ShardProblem::link, "k.wav", 0, 0, "a link"}), Error);
}

}  // namespace
}  // namespace shardmill::library
