#include "pipeline/intake/intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{256} << 20;

/// Plain bytes in spans of a megabyte, as if they had come out of very few compressed ones.
class MadePiece final : public codec::Piece {
 public:
  explicit MadePiece(std::string plain) : plain_(std::move(plain)) {}

  void prepare() noexcept override {}
  std::span<const std::byte> read() override {
    const auto rest = base::as_bytes(plain_).subspan(used_);
    const auto some = rest.first(std::min<std::size_t>(rest.size(), 1 << 20));
    used_ += some.size();
    return some;
  }
  std::uint64_t compressed_bytes() const override { return 100; }
  std::size_t memory_bytes() const override { return 1000; }

 private:
  std::string plain_;
  std::size_t used_ = 0;
};

/// In place of a feed of files: gives these pieces of one shard.
class MadeFeed final : public UnitFeed {
 public:
  MadeFeed(const source::SourceFile& file, const std::vector<std::string>& pieces,
           const shard::MemberStorage& storage = {})
      : source_(std::make_shared<OpenSource>(0, 0, file, shard::KeyRule::wenet, SourceRestart{}, storage)) {
    for (const std::string& piece : pieces) pieces_.push_back(std::make_shared<MadePiece>(piece));
    pieces_.push_back(std::make_shared<MadePiece>(std::string(1024, '\0')));  // the end of the tar
  }

  std::optional<Item> next() override {
    if (is_done_) return std::nullopt;
    Item item{.source = source_, .unit = {}, .consumed_bytes = consumed_ += 100};
    if (pieces_.empty()) {
      item.unit.last = is_done_ = true;
      return item;
    }
    item.unit.piece = pieces_.front();
    item.unit.memory_bytes = pieces_.front()->memory_bytes();
    item.unit.compressed_bytes = 100;
    pieces_.pop_front();
    return item;
  }
  bool done() const noexcept override { return is_done_; }
  std::vector<StreamPosition> positions() const override { return {}; }
  std::vector<ReopenedSource> restore(const std::vector<StreamPosition>&) override { return {}; }

 private:
  std::shared_ptr<OpenSource> source_;
  std::deque<std::shared_ptr<MadePiece>> pieces_;
  std::uint64_t consumed_ = 0;
  bool is_done_ = false;
};

/// A tar without its end, so that others can follow.
std::string samples(int first, int count, std::uint32_t frames) {
  std::string tar;
  for (int i = first; i < first + count; ++i) {
    const std::string key = "utt" + std::to_string(i);
    tar += archive::entry('0', key + ".txt", "words");
    tar += archive::entry('0', key + ".wav", testing::made_wav(frames));
  }
  return tar;
}

class Intakes : public ::testing::Test {
 protected:
  Intakes() {
    inputs_.datasets = {{.name = "d"}};
    inputs_.streams = {{.name = "d", .files = {{.path = "shard.tar"}}, .datasets = {0}}};
  }

  /// Takes all that `feed` has, one batch at a time; returns the keys in their order.
  std::vector<std::string> keys(UnitFeed& feed, std::uint64_t memory_bytes = kMemoryBytes) {
    Intake intake(inputs_, options_, feed, memory_bytes, reporter_);
    std::vector<std::string> keys;
    for (;;) {
      std::optional<Costly<IntakeBatch>> batch = Costly<IntakeBatch>{};
      if (!intake.has_rest()) batch = intake.next();
      if (!batch) break;
      BudgetShare share(budget_, batch->bytes);
      Intake::prepare(batch->item);
      intake.parse(batch->item, share);
      largest_batch_ = std::max(largest_batch_, budget_.used_bytes());
      intake.measure(batch->item, share);
      consumed_.push_back(batch->item.consumed_bytes);
      for (const Measured& measured : batch->item.measured) {
        if (const auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
          ADD_FAILURE() << reject->problem;
          continue;
        }
        const auto& utterance = std::get<Utterance>(measured.outcome);
        EXPECT_EQ(utterance.dataset, 0U);
        keys.push_back(utterance.record.key);
      }
    }
    EXPECT_EQ(budget_.used_bytes(), 0U);
    return keys;
  }

  static std::vector<std::string> numbered(int count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) keys.push_back("utt" + std::to_string(i));
    return keys;
  }

  Inputs inputs_;
  IntakeOptions options_;
  testing::SilentReporter reporter_;
  ByteBudget budget_{kMemoryBytes};
  std::uint64_t largest_batch_ = 0;
  std::vector<std::uint64_t> consumed_;  // as each batch has it
};

TEST_F(Intakes, GiveTheSamplesOfAllUnitsInOrder) {
  MadeFeed feed(inputs_.streams[0].files[0], {samples(0, 3, 1000), samples(3, 2, 1000)});
  EXPECT_EQ(keys(feed), numbered(5));
  EXPECT_EQ(consumed_, (std::vector<std::uint64_t>{100, 200, 300, 400}));
  EXPECT_EQ(reporter_.progress().input_bytes, 300U);
}

TEST_F(Intakes, StoredMembersWaitUntilThereIsRoom) {
  MadeFeed feed(
      inputs_.streams[0].files[0], {samples(0, 1, 100'000), samples(1, 1, 100'000)},
      {.in_memory_bytes = 1000, .file = [](std::uint64_t) { return base::memory_file({}, "stored"); }});
  Intake intake(inputs_, options_, feed, kMemoryBytes, reporter_);
  ByteBudget budget(700'000);  // one sample takes 400 kB
  struct InFlight {
    IntakeBatch batch;
    BudgetShare share;
  };
  const auto take = [&] {
    auto batch = intake.has_rest() ? Costly<IntakeBatch>{} : intake.next().value();
    auto taken = std::make_unique<InFlight>();
    taken->share = BudgetShare(budget, batch.bytes);
    taken->batch = std::move(batch.item);
    intake.parse(taken->batch, taken->share);
    return taken;
  };
  std::vector<std::unique_ptr<InFlight>> first;
  while (first.empty() || first.back()->batch.items.empty()) first.push_back(take());
  EXPECT_GT(budget.used_bytes(), 400'000U);
  while (!intake.has_rest()) first.push_back(take());
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(take()->batch.items.empty());
    EXPECT_LT(budget.used_bytes(), 700'000U);
  }
  first.clear();
  auto second = take();
  ASSERT_EQ(second->batch.items.size(), 1U);
  EXPECT_FALSE(intake.has_rest());
  intake.measure(second->batch, second->share);
  const auto& utterance = std::get<Utterance>(second->batch.measured.at(0).outcome);
  EXPECT_EQ(utterance.record.key, "utt1");
  EXPECT_GT(utterance.packed.bytes.size(), 200'000U);
}

TEST_F(Intakes, AUnitThatExpandsToMuchIsTakenInParts) {
  // 48 MB, in samples of 320 kB.
  MadeFeed feed(inputs_.streams[0].files[0],
                {samples(0, 1, 1000), samples(1, 150, 160'000), samples(151, 2, 1000)});
  EXPECT_EQ(keys(feed), numbered(153));
  EXPECT_LT(largest_batch_, std::uint64_t{6} << 20);
  EXPECT_GT(consumed_.size(), 12U);
  // What is told of the input does not depend on the parts.
  EXPECT_TRUE(std::is_sorted(consumed_.begin(), consumed_.end()));
  EXPECT_EQ(consumed_.back(), 500U);
}

TEST_F(Intakes, ASampleThatMemoryCannotHoldIsAnError) {
  MadeFeed feed(inputs_.streams[0].files[0], {samples(0, 1, 10'000'000)});
  EXPECT_THROW(keys(feed, 4 << 20), Error);
}

}  // namespace
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
