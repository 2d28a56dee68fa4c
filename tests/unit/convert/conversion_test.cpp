#include "convert/conversion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "dataset/owned_files.hpp"
#include "support/command_output.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::convert {

namespace {

TEST(ConvertSummaryTest, CountsTheShardsOfEachOutcome) {
  using Outcome = ConvertedShard::Outcome;
  ConvertSummary summary;
  EXPECT_EQ(summary.count(Outcome::failed), 0U);
  summary.shards.resize(6);  // that failed, as long as nobody says otherwise
  summary.shards[1].outcome = summary.shards[3].outcome = Outcome::converted;
  summary.shards[5].outcome = Outcome::up_to_date;
  EXPECT_EQ(summary.count(Outcome::converted), 2U);
  EXPECT_EQ(summary.count(Outcome::up_to_date), 1U);
  EXPECT_EQ(summary.count(Outcome::failed), 3U);
}

}  // namespace

namespace {

ConvertOptions options(std::vector<std::string> shards, codec::Codec codec) {
  ConvertOptions made;
  made.shards = std::move(shards);
  made.out_folder = "out";
  made.codec = codec;
  return made;
}

TEST(ConvertPlan, TheSuffixOfTheCodecReplacesTheOldOne) {
  using codec::Codec;
  EXPECT_EQ(converted_paths(options({"in/a.tar.bz2", "in/b.tbz2", "in/c.tar", "in/d.tgz"}, Codec::zstd)),
            (std::vector<std::string>{"out/a.tar.zst", "out/b.tar.zst", "out/c.tar.zst", "out/d.tar.zst"}));
  EXPECT_EQ(converted_paths(options({"in/a.tar.bz2", "in/x"}, Codec::none)),
            (std::vector<std::string>{"out/a.tar", "out/x"}));
}

TEST(ConvertPlan, NoResultTakesTheNameOfAnotherOrThePlaceOfASource) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(plan_results(options({"a/x.tar", "b/x.tar.gz"}, codec::Codec::zstd)), UsageError);
  ConvertOptions in_place = options({folder.write("x.tar", "bytes")}, codec::Codec::none);
  in_place.out_folder = folder.path().string();
  EXPECT_THROW(plan_results(in_place), UsageError);
}

TEST(ConvertPlan, OnlyWhatIsStillToBeWrittenNeedsSpace) {
  const testing::TemporaryFolder folder;
  ConvertOptions plain = options({folder.write("x.tar", std::string(1000, 'x'))}, codec::Codec::none);
  plain.out_folder = folder.file("out");
  EXPECT_EQ(needed_bytes(plan_results(plain), plain), 1000u);
  plain.shards = {folder.file("missing.tar")};
  EXPECT_EQ(needed_bytes(plan_results(plain), plain), 0u) << "it is reported when its turn comes";
}

}  // namespace

namespace {

using Outcome = ConvertedShard::Outcome;

class ConvertShard : public ::testing::Test {
 protected:
  ConvertShard() {
    options.out_folder = folder.file("out");
    std::filesystem::create_directories(options.out_folder);
    options.codec = codec::Codec::gzip;
    content = base::read_text(made.source());
  }

  ConvertedShard convert(const std::string& source) {
    ConvertedShard shard;
    shard.source = source;
    shard.result = options.out_folder + "/shard.tar.gz";
    convert_shard(shard, options, made.workers(), made.reporter());
    return shard;
  }
  std::string unpacked() const {
    return testing::command_output("gzip -dc " + options.out_folder + "/shard.tar.gz");
  }
  std::size_t files_in_out() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options.out_folder))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }

  testing::MadeDataset made;
  testing::TemporaryFolder folder;
  ConvertOptions options;
  std::string content;
};

TEST_F(ConvertShard, KeepsEveryByteAndCountsThem) {
  const ConvertedShard shard = convert(made.source());
  EXPECT_EQ(shard.outcome, Outcome::converted);
  EXPECT_TRUE(unpacked() == content);
  EXPECT_EQ(shard.source_bytes, content.size());
  EXPECT_EQ(shard.plain_bytes, content.size());
  EXPECT_EQ(shard.result_bytes, std::filesystem::file_size(shard.result));
}

TEST_F(ConvertShard, IsDoneOnce) {
  convert(made.source());
  const auto written = std::filesystem::last_write_time(options.out_folder + "/shard.tar.gz");
  const ConvertedShard again = convert(made.source());
  EXPECT_EQ(again.outcome, Outcome::up_to_date);
  EXPECT_EQ(again.result_bytes, std::filesystem::file_size(again.result));
  EXPECT_EQ(std::filesystem::last_write_time(again.result), written);
  options.force = true;
  EXPECT_EQ(convert(made.source()).outcome, Outcome::converted);
}

TEST_F(ConvertShard, IsDoneAgainForAnotherLevel) {
  convert(made.source());
  options.level = 1;
  EXPECT_EQ(convert(made.source()).outcome, Outcome::converted);
  EXPECT_TRUE(unpacked() == content);
}

TEST_F(ConvertShard, AResultThatWasCutIsMadeAgainOnlyByForce) {
  convert(made.source());
  const std::string result = options.out_folder + "/shard.tar.gz";
  std::filesystem::resize_file(result, std::filesystem::file_size(result) / 2);
  // Its size is not the one that was recorded: somebody may have put it there.
  EXPECT_THROW(convert(made.source()), Error);
  options.force = true;
  EXPECT_EQ(convert(made.source()).outcome, Outcome::converted);
  EXPECT_TRUE(unpacked() == content);
}

TEST_F(ConvertShard, DamageLeavesNothingBehind) {
  convert(made.source());
  std::string packed = base::read_text(options.out_folder + "/shard.tar.gz");
  packed.resize(packed.size() / 2);
  const std::string damaged = folder.write("damaged.tar.gz", packed);
  options.out_folder = folder.file("other");
  std::filesystem::create_directories(options.out_folder);
  EXPECT_THROW(convert(damaged), Error);
  EXPECT_EQ(files_in_out(), 0U);
}

TEST_F(ConvertShard, WhatFollowsTheLastStreamIsIgnoredWhereThatIsWanted) {
  convert(made.source());
  const std::string trailing =
      folder.write("trailing.tar.gz", base::read_text(options.out_folder + "/shard.tar.gz") + "garbage");
  options.out_folder = folder.file("other");
  std::filesystem::create_directories(options.out_folder);
  EXPECT_THROW(convert(trailing), Error);
  options.ignore_trailing = true;
  EXPECT_EQ(convert(trailing).outcome, Outcome::converted);
  EXPECT_TRUE(unpacked() == content);
}

TEST_F(ConvertShard, TheFormatIsWhatTheOptionsSay) {
  options.codec = codec::Codec::zstd;
  options.level = 7;
  options.seekable = true;
  const codec::EncoderOptions format = format_of(options);
  EXPECT_EQ(format.codec, codec::Codec::zstd);
  EXPECT_EQ(format.level, 7);
  EXPECT_TRUE(format.seekable);
  EXPECT_FALSE(format.plain_bytes);
}

}  // namespace

namespace {

class ConvertTest : public ::testing::Test {
 protected:
  ConvertOptions options(codec::Codec codec) const {
    ConvertOptions made;
    made.shards = {source_};
    made.out_folder = folder_.file("out");
    made.codec = codec;
    return made;
  }
  ConvertSummary run(const ConvertOptions& options) { return run_convert(options, workers_, reporter_); }

  testing::TemporaryFolder folder_;
  std::string tar_ = codec::testing::text_like(200'000);
  std::string source_ = folder_.write("a.tar.bz2", codec::testing::through("bzip2 -c", tar_));
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, std::uint64_t{256} << 20};
};

TEST_F(ConvertTest, TheTarInsideStaysTheSame) {
  const std::pair<codec::Codec, const char*> programs[] = {{codec::Codec::none, "cat"},
                                                           {codec::Codec::gzip, "gzip -dc"},
                                                           {codec::Codec::zstd, "zstd -dqc"},
                                                           {codec::Codec::lz4, "lz4 -dqc"}};
  for (const auto& [codec, program] : programs) {
    const ConvertSummary summary = run(options(codec));
    ASSERT_EQ(summary.count(ConvertedShard::Outcome::converted), 1u);
    const ConvertedShard& shard = summary.shards[0];
    EXPECT_EQ(shard.result, folder_.file("out/a.tar") + std::string(suffix(codec)));
    EXPECT_EQ(shard.plain_bytes, tar_.size());
    EXPECT_TRUE(codec::testing::through(program, base::read_text(shard.result)) == tar_) << program;
  }
}

TEST_F(ConvertTest, WhatIsUpToDateIsLeftUntilItsSourceChanges) {
  run(options(codec::Codec::zstd));
  EXPECT_EQ(run(options(codec::Codec::zstd)).count(ConvertedShard::Outcome::up_to_date), 1u);
  ConvertOptions other = options(codec::Codec::zstd);
  other.level = 7;
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
  folder_.write("a.tar.bz2", codec::testing::through("bzip2 -c", tar_ + "more"));
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
  other.force = true;
  EXPECT_EQ(run(other).count(ConvertedShard::Outcome::converted), 1u);
}

TEST_F(ConvertTest, ADamagedShardLeavesNothingAndStopsNoOther) {
  ConvertOptions both = options(codec::Codec::zstd);
  const std::string whole = base::read_text(source_);
  both.shards.insert(both.shards.begin(), folder_.write("cut.tar.bz2", whole.substr(0, whole.size() / 2)));
  const ConvertSummary summary = run(both);
  EXPECT_EQ(summary.shards[0].outcome, ConvertedShard::Outcome::failed);
  EXPECT_NE(summary.shards[0].problem, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out/cut.tar.zst")));
  EXPECT_EQ(summary.shards[1].outcome, ConvertedShard::Outcome::converted);
}

TEST_F(ConvertTest, TwoResultsOfOneNameAreRefusedBeforeAnythingIsDone) {
  ConvertOptions twice = options(codec::Codec::zstd);
  twice.shards.push_back(folder_.write("other/a.tar", tar_));
  EXPECT_THROW(run(twice), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out/a.tar.zst")));
}

}  // namespace

namespace {

const ConvertedOrigin kOrigin{.source = "../in/\"x\".tar.bz2",
                              .source_bytes = 123,
                              .source_mtime_ns = -5,
                              .codec = "zstd",
                              .level = 3,
                              .seekable = true,
                              .ignore_trailing = false,
                              .result_bytes = 456,
                              .result_mtime_ns = -7};

TEST(ConvertedOrigin, ComesBackAsItWas) {
  EXPECT_EQ(origin_in(to_text(kOrigin)), kOrigin);
  ConvertedOrigin begun = kOrigin;
  begun.result_bytes.reset();
  begun.result_mtime_ns.reset();
  EXPECT_EQ(origin_in(to_text(begun)), begun);
}

TEST(ConvertedOrigin, NothingIsKnownByARecordThatWasChanged) {
  const std::string text = to_text(kOrigin);
  for (const std::string& changed : {std::string(), std::string("{}"), text.substr(0, text.size() / 2),
                                     std::string(text).replace(text.find("456"), 3, "457")}) {
    EXPECT_EQ(origin_in(changed), ConvertedOrigin{});
  }
}

}  // namespace

namespace {

class UpToDate : public ::testing::Test {
 protected:
  UpToDate() {
    options_.shards = {folder_.write("in/a.tar", "source")};
    options_.out_folder = folder_.file("out");
    shard_.source = options_.shards.front();
    shard_.result = folder_.write("out/a.tar.gz", "result");
    options_.codec = codec::Codec::gzip;
  }

  ConvertedOrigin wanted() const { return wanted_origin(shard_, options_); }
  /// Records the result as it is now.
  void record() const {
    ConvertedOrigin origin = wanted();
    const source::SourceFile result = status_of(shard_.result);
    origin.result_bytes = result.bytes;
    origin.result_mtime_ns = result.mtime_ns;
    dataset::write_converted_record(options_.out_folder, name_of(shard_), to_text(origin));
  }
  bool is_current() const { return is_up_to_date(shard_, wanted(), recorded_origin(shard_, options_)); }
  void check() const { check_may_be_replaced(shard_, wanted(), recorded_origin(shard_, options_), options_); }

  testing::TemporaryFolder folder_;
  ConvertOptions options_;
  ConvertedShard shard_;
};

TEST_F(UpToDate, WithTheSameSourceAndOptions) {
  EXPECT_FALSE(is_current()) << "nothing is recorded";
  record();
  EXPECT_TRUE(is_current());
  options_.level = 9;
  EXPECT_FALSE(is_current());
  options_.level.reset();
  folder_.write("in/a.tar", "another source");
  EXPECT_FALSE(is_current());
}

TEST_F(UpToDate, AResultThatSomebodyChangedIsKept) {
  record();
  EXPECT_NO_THROW(check());
  folder_.write("out/a.tar.gz", "changed by somebody");
  EXPECT_FALSE(is_current());
  EXPECT_THROW(check(), Error);
  options_.force = true;
  EXPECT_NO_THROW(check());
}

TEST_F(UpToDate, AResultOfAnotherSourceIsKeptWhileThatExists) {
  record();
  shard_.source = folder_.write("other/a.tar", "other");
  EXPECT_THROW(check(), Error);
  std::filesystem::remove(folder_.file("in/a.tar"));
  EXPECT_NO_THROW(check());
}

}  // namespace

}  // namespace shardmill::convert
