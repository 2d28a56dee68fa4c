#include "pipeline/read_through.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "source/corpus_builder.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

/// A tar of a few MB, so that it has many bzip2 blocks.
std::string many_samples() {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "utt" + std::to_string(i);
    files.emplace_back(key + ".txt", "words of " + key);
    files.emplace_back(key + ".wav", codec::testing::text_like(20'000, static_cast<std::uint64_t>(i) + 1));
  }
  return archive::make_tar(files);
}

struct Seen {
  std::vector<std::string> items;
  std::uint64_t tar_bytes = 0;
};

std::string scanned_in_words(const SourceItem& item) {
  if (const auto* sample = std::get_if<shard::GroupedSample>(&item)) {
    return "sample " + sample->sample.key + " " + sample->damage;
  }
  if (const auto* lost = std::get_if<manifest::Reject>(&item))
    return "lost " + *lost->key + " " + lost->problem;
  if (const auto* finding = std::get_if<ShardFinding>(&item)) return std::string(name(finding->problem));
  return "error " + std::get<Damage>(item).error.problem();
}

Seen scan(const source::SourceFile& file, Workers& workers) {
  testing::SilentReporter reporter;
  Seen seen;
  const ScanResult result =
      scan_source(file, shard::KeyRule::wenet, workers, reporter,
                  [&](SourceItem&& item) { seen.items.push_back(scanned_in_words(item)); });
  EXPECT_EQ(reporter.progress().input_bytes, base::File::open_read(file.path).size());
  EXPECT_TRUE(reporter.warnings.empty());
  seen.tar_bytes = result.tar_bytes;
  return seen;
}

Seen scan(const std::string& path, Workers& workers) {
  return scan(source::SourceFile{.path = path}, workers);
}

class SourceScan : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_F(SourceScan, GivesTheSameForEveryCodecAndBound) {
  const std::string plain = many_samples();
  for (const char* command : {"cat", "bzip2 -1c", "gzip -1c", "zstd -qc"}) {
    const std::string path = folder_.write("a", codec::testing::through(command, plain));
    for (const unsigned threads : {1U, 4U}) {
      for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
        Workers workers(threads, memory);
        const Seen seen = scan(path, workers);
        EXPECT_EQ(seen.tar_bytes, plain.size()) << command;
        ASSERT_EQ(seen.items.size(), 200) << command;
        EXPECT_EQ(seen.items[7], "sample utt7 ");
      }
    }
  }
}

TEST_F(SourceScan, ReadsSeveralFilesAtOnce) {
  const std::string path = folder_.write("a", codec::testing::through("bzip2 -1c", many_samples()));
  Workers workers(4, 1);
  std::vector<Seen> seen(8);
  workers.for_each(seen.size(), [&](std::size_t index) { seen[index] = scan(path, workers); });
  for (const Seen& each : seen) EXPECT_EQ(each.items, seen[0].items);
  EXPECT_EQ(seen[0].items.size(), 200);
}

TEST_F(SourceScan, GoesOnBehindDamage) {
  std::string compressed = codec::testing::through("bzip2 -1c", many_samples());
  compressed[compressed.size() / 2] ^= 1;
  Workers workers(2, std::uint64_t{1} << 30);
  const Seen seen = scan(folder_.write("a", compressed), workers);
  const auto error = std::find_if(seen.items.begin(), seen.items.end(),
                                  [](const std::string& item) { return item.starts_with("error "); });
  ASSERT_NE(error, seen.items.end());
  EXPECT_GT(error - seen.items.begin(), 50);
  EXPECT_EQ(seen.items.back(), "sample utt199 ");
}

TEST_F(SourceScan, WhatFollowsTheLastStreamIsDamage) {
  const std::string compressed = codec::testing::through("gzip -c", archive::make_tar({{"a.txt", "x"}}));
  Workers workers(2, std::uint64_t{1} << 30);
  const Seen seen = scan(folder_.write("a", compressed + "garbage"), workers);
  const auto error = std::find_if(seen.items.begin(), seen.items.end(),
                                  [](const std::string& item) { return item.starts_with("error "); });
  ASSERT_NE(error, seen.items.end());
}

TEST_F(SourceScan, AFileThatChangedSinceItWasFoundEndsTheRun) {
  Workers workers(2, std::uint64_t{1} << 30);
  const std::string path = folder_.write("a", archive::make_tar({{"a.txt", "x"}}));
  testing::SilentReporter reporter;
  const source::SourceFile file{.path = path, .bytes = 1, .mtime_ns = 1};
  EXPECT_THROW(scan_source(file, shard::KeyRule::wenet, workers, reporter, [](SourceItem&&) {}), FatalError);
}

TEST_F(SourceScan, AFileThatIsReplacedWhileItIsReadEndsTheRun) {
  Workers workers(1, 1 << 20);
  const std::string path = folder_.write("a", many_samples());
  testing::SilentReporter reporter;
  bool replaced = false;
  const auto replace = [&](SourceItem&&) {
    if (std::exchange(replaced, true)) return;
    std::filesystem::rename(folder_.write("b", many_samples()), path);
  };
  EXPECT_THROW(scan_source({.path = path}, shard::KeyRule::wenet, workers, reporter, replace), FatalError);
}

TEST_F(SourceScan, ThrowsWhereThereIsNoFile) {
  Workers workers(1, 1 << 20);
  EXPECT_THROW(scan(folder_.file("missing"), workers), Error);
}

TEST_F(SourceScan, AddsWhatACorpusSaysOfItsShards) {
  const std::string path =
      folder_.write("a.tar", archive::make_tar({{"train/S1/a.wav", "x"}, {"train/S1/b.wav", "y"}}));
  source::CorpusBuilder builder;
  builder.utterance(builder.recording(source::SourceKind::shard, path),
                    {.key = "b", .text = "words", .facts = R"("speaker":"S1")"});
  builder.utterance(0, {.key = "b", .text = "the same key once more"});
  builder.utterance(0, {.key = "c", .text = "not there"});
  source::SourceFile file = builder.take().audio.at(0);
  Workers workers(1, 1 << 20);
  testing::SilentReporter reporter;
  std::vector<shard::GroupedSample> samples;
  const auto keep = [&](SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) samples.push_back(std::move(*sample));
  };
  scan_source(file, shard::KeyRule::wenet, workers, reporter, keep);
  ASSERT_EQ(samples.size(), 2);
  EXPECT_EQ(samples[0].sample.key, "a");
  EXPECT_EQ(samples[0].sample.members.size(), 1);
  EXPECT_EQ(samples[1].sample.members.size(), 2);
  EXPECT_EQ(samples[1].sample.members[0].extension, "txt");
  EXPECT_EQ(samples[1].facts, R"("speaker":"S1")");

  file.only_listed = true;
  EXPECT_EQ(scan(file, workers).items,
            (std::vector<std::string>{"lost train/S1/a the corpus does not list it", "sample b ",
                                      "lost c its corpus lists it, but it is not in the shard"}));
}

TEST_F(SourceScan, ReadsAnAudioFileOfACorpus) {
  const std::string path = folder_.write("a.flac", "fLaC, or not");
  source::CorpusBuilder builder;
  builder.utterance(builder.recording(source::SourceKind::recording, path), {.key = "a", .text = "words"});
  Workers workers(1, 1 << 20);
  EXPECT_EQ(scan(builder.take().audio.at(0), workers).items, std::vector<std::string>{"sample a "});
}

TEST_F(SourceScan, StopsWhenAsked) {
  const std::string path = folder_.write("a", many_samples());
  Workers workers(2, 1 << 20);
  testing::SilentReporter reporter;
  reporter.signal = 2;
  EXPECT_THROW(scan_source({.path = path}, shard::KeyRule::wenet, workers, reporter, [](SourceItem&&) {}),
               base::Interrupted);
}

}  // namespace
namespace {

using ::testing::HasSubstr;

class DecodeTest : public ::testing::Test {
 protected:
  DecodeTest() {
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < 40; ++i)
      files.emplace_back("k" + std::to_string(i) + ".wav",
                         testing::text_of(testing::random_bytes(20'000, static_cast<unsigned>(i))));
    plain = archive::make_tar(files);
    folder.write("plain.tar", plain);
  }

  /// The plain bytes up to the problem, which is kept.
  std::string decoded(const std::string& path, Trailing trailing = Trailing::damage) {
    base::File file = base::File::open_read(path);
    std::string all;
    problem.clear();
    try {
      decode(
          file, workers, reporter,
          [&](std::span<const std::byte> bytes) {
            all += testing::text_of(bytes);
            return all.size() < enough;
          },
          trailing);
    } catch (const Error& error) {
      problem = error.what();
    }
    return all;
  }
  std::string packed(const std::string& command) {
    testing::command_output("(" + command + ") < " + folder.file("plain.tar") + " > " +
                            folder.file("packed"));
    return folder.file("packed");
  }

  testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  Workers workers{2, std::uint64_t{64} << 20};
  std::string plain;
  std::string problem;
  std::size_t enough = SIZE_MAX;
};

TEST_F(DecodeTest, GivesAllBytesInOrderWhateverTheCodec) {
  for (const char* command : {"cat", "bzip2 -1c", "gzip -c", "xz -0c"}) {
    EXPECT_TRUE(decoded(packed(command)) == plain) << command;
    EXPECT_EQ(problem, "") << command;
  }
}

TEST_F(DecodeTest, CountsTheBytesOfTheFile) {
  const std::string path = packed("bzip2 -1c");
  decoded(path);
  EXPECT_EQ(reporter.progress().input_bytes, std::filesystem::file_size(path));
}

TEST_F(DecodeTest, StopsWhenTheSinkHasEnough) {
  enough = 1;
  const std::string begin = decoded(packed("bzip2 -1c"));
  EXPECT_EQ(problem, "");
  EXPECT_LT(begin.size(), plain.size());
  EXPECT_TRUE(plain.starts_with(begin));
}

TEST_F(DecodeTest, WhatIsBeforeTheDamageComesFirst) {
  const std::string path = packed("bzip2 -1c");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);
  const std::string begin = decoded(path);
  EXPECT_NE(problem, "");
  EXPECT_THAT(problem, HasSubstr(path));
  EXPECT_GT(begin.size(), plain.size() / 3);
  EXPECT_TRUE(plain.starts_with(begin));
}

TEST_F(DecodeTest, AnEmptyFileIsNoShard) {
  EXPECT_EQ(decoded(folder.write("empty", "")), "");
  EXPECT_THAT(problem, HasSubstr("is empty"));
}

TEST_F(DecodeTest, WhatIsNoTarIsRefusedBeforeAnyByteIsGiven) {
  for (const std::string& content : {std::string("some text"), std::string(2000, 'x')}) {
    EXPECT_EQ(decoded(folder.write("text", content)), "");
    EXPECT_THAT(problem, HasSubstr("neither a tar nor compressed"));
  }
  // A tar without members is zeros.
  EXPECT_EQ(decoded(folder.write("zeros", std::string(10'240, '\0'))).size(), 10'240U);
  EXPECT_EQ(problem, "");
}

TEST_F(DecodeTest, BytesAfterTheLastStreamAreDamageUnlessTheyAreIgnored) {
  const std::string path = packed("gzip -c; echo garbage");
  decoded(path);
  EXPECT_NE(problem, "");
  EXPECT_TRUE(decoded(path, Trailing::ignored) == plain);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(reporter.warnings.size(), 1U);
}

}  // namespace
}  // namespace shardmill::pipeline
