#include "pipeline/intake/memory_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMebibyte = 1 << 20;

std::string problem(std::uint64_t needed, std::uint64_t allowed) {
  try {
    check_memory(needed, allowed, "a.tar", "key1");
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(SampleMemory, AudioCountsTwiceAndFourTimesInAnotherForm) {
  EXPECT_EQ(needed_bytes(1000, {}), 2000u);
  EXPECT_EQ(needed_bytes(1000, {.sample_rate = 8000}), 4000u);
  EXPECT_EQ(needed_bytes(1000, {.mono = true}), 4000u);
  EXPECT_EQ(needed_bytes(1000, {.container = audio::WantedForm::Container::flac}), 4000u);
  EXPECT_EQ(needed_bytes(0, {}), 0u);
}

TEST(SampleMemory, TextsAndFactsAreCopiedMoreOften) {
  shard::GroupedSample sample;
  sample.sample.members.push_back({.name = "a.wav", .extension = "wav", .bytes = Bytes(1000)});
  EXPECT_EQ(needed_bytes(sample, {}), 2000u);
  sample.sample.members.push_back({.name = "a.txt", .extension = "txt", .bytes = Bytes(10)});
  EXPECT_EQ(needed_bytes(sample, {}), 2020u + 60);
  sample.facts = std::string(5, 'x');
  EXPECT_EQ(needed_bytes(sample, {}), 2020u + 60 + 30);
  EXPECT_GT(needed_bytes(sample, {.mono = true}), needed_bytes(sample, {}));
}

TEST(SampleMemory, TheBoundIsKeptAndTheNextOneNamed) {
  EXPECT_EQ(problem(64 * kMebibyte, 64 * kMebibyte), "no problem");
  EXPECT_THAT(problem(64 * kMebibyte + 1, 64 * kMebibyte),
              HasSubstr("a.tar: member 'key1': this sample takes about "));
  EXPECT_THAT(problem(64 * kMebibyte + 1, 64 * kMebibyte), HasSubstr("(128MiB will do)"));
  EXPECT_THAT(problem(65 * kMebibyte, 1), HasSubstr("(128MiB will do)"));
  EXPECT_THAT(problem(std::uint64_t{1} << 40, 64 * kMebibyte), HasSubstr("(1024GiB will do)"));
}

TEST(SampleMemory, WhatTheProgramNeedsAnywayIsAlwaysAllowed) {
  EXPECT_EQ(problem(16 * kMebibyte, 0), "no problem");
  EXPECT_THAT(problem(16 * kMebibyte + 1, 0), HasSubstr("(32MiB will do)"));
}

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMiB = 1 << 20;

class WarningReporter final : public base::Reporter {
 public:
  void warn(const Error& warning) override { warnings.emplace_back(warning.what()); }
  void fail(const Error&) override {}
  void phase(std::string_view) override {}
  int stop_signal() const noexcept override { return 0; }

  std::vector<std::string> warnings;
};

class OpenWindowsOfFiles : public ::testing::Test {
 protected:
  /// Windows of `each_mib` that are full, one after the other.
  void fill(OpenWindows& windows, int files, std::uint64_t each_mib) {
    files_.resize(static_cast<std::size_t>(files));
    for (codec::Window& file : files_)
      windows.change(file, {.bytes = each_mib * kMiB, .full_bytes = each_mib * kMiB});
  }
  void close(OpenWindows& windows) {
    for (codec::Window& file : files_) windows.change(file, {});
  }

  ByteBudget budget_{1024 * kMiB};
  WarningReporter reporter_;
  std::vector<codec::Window> files_;
};

TEST_F(OpenWindowsOfFiles, TakeTheirShareOfTheBudgetAndGiveItBack) {
  OpenWindows windows(budget_, 1024 * kMiB, MemoryBound::given, 1, reporter_);
  fill(windows, 4, 128);
  EXPECT_EQ(budget_.used_bytes(), 512 * kMiB);
  windows.change(files_[0], {.bytes = 1 * kMiB, .full_bytes = 8 * kMiB});
  EXPECT_EQ(budget_.used_bytes(), 385 * kMiB);
  close(windows);
  EXPECT_EQ(budget_.used_bytes(), 0U);
}

TEST_F(OpenWindowsOfFiles, BeyondABoundThatWasGivenAreAnErrorThatSaysWhatIsEnough) {
  OpenWindows windows(budget_, 1024 * kMiB, MemoryBound::given, 1, reporter_);
  fill(windows, 6, 128);  // three quarters of it
  codec::Window one_more{};
  try {
    windows.change(one_more, {.bytes = 1, .full_bytes = 128 * kMiB});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("decoders of 7 open files take 940 MB"), HasSubstr("1.07 GB are allowed")));
    EXPECT_EQ(error.advice(), "2GiB will do, or at most 6 files at a time");
    EXPECT_EQ(error.remedy(), Remedy::fewer_open_files);
  }
  OpenWindows enough(budget_, 2048 * kMiB, MemoryBound::given, 1, reporter_);
  EXPECT_NO_THROW(fill(enough, 7, 128));
  EXPECT_THAT(reporter_.warnings, IsEmpty());
}

TEST_F(OpenWindowsOfFiles, OneThatIsTooLargeByItselfIsNotHelpedByFewerFiles) {
  OpenWindows windows(budget_, 64 * kMiB, MemoryBound::given, 2, reporter_);
  try {
    fill(windows, 1, 128);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("decoders of 1 open file take"));
    EXPECT_EQ(error.advice(), "256MiB will do");
    EXPECT_EQ(error.remedy(), Remedy::more_memory);
  }
}

TEST_F(OpenWindowsOfFiles, CountAsFarAsTheyAreInUse) {
  OpenWindows windows(budget_, 64 * kMiB, MemoryBound::given, 1, reporter_);
  codec::Window small{};
  EXPECT_NO_THROW(windows.change(small, {.bytes = 2 * kMiB, .full_bytes = 128 * kMiB}));
  EXPECT_EQ(budget_.used_bytes(), 2 * kMiB);
}

TEST_F(OpenWindowsOfFiles, BeyondTheStandardBoundAreSaidOnce) {
  OpenWindows windows(budget_, 1024 * kMiB, MemoryBound::standard, 1, reporter_);
  fill(windows, 8, 128);
  EXPECT_THAT(reporter_.warnings, IsEmpty());
  fill(windows, 16, 128);
  EXPECT_THAT(reporter_.warnings,
              ElementsAre(HasSubstr("decoders of 9 open files take 1.21 GB of memory (")));
  EXPECT_EQ(budget_.used_bytes(), 512 * kMiB) << "half of it stays for the samples";
}

}  // namespace

}  // namespace shardmill::pipeline
