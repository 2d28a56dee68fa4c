// Shards with one thing wrong each, and what is said of them.

#include "check/inspect/shard_inspector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "check/inspection.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {

namespace {

using testing::made_wav;
using Files = std::vector<std::pair<std::string, std::string>>;

class ShardInspectorTest : public ::testing::Test {
 protected:
  ShardReport inspected(const std::string& tar) {
    testing::SilentReporter reporter;
    pipeline::Workers workers(1, std::uint64_t{64} << 20);
    return inspect_sources({.sources = {folder_.write("audio_0.tar", tar)}}, workers, reporter)
        .datasets.at(0)
        .shards.at(0);
  }
  /// The ids of all damage and hazards, "bad_audio*2 ".
  std::string issues(const Files& files) {
    std::string text;
    const ShardReport report = inspected(archive::make_tar(files));
    for (const auto& [kind, issue] : report.issues.all()) {
      if (kind.severity == Severity::note) continue;
      text += std::string(kind.id) + (issue.count > 1 ? "*" + std::to_string(issue.count) : "") + " ";
    }
    return text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ShardInspectorTest, CountsWhatIsThere) {
  const Contents contents = inspected(archive::make_tar({{"a.txt", "x"},
                                                         {"a.wav", made_wav(16000)},
                                                         {"b.txt", "x"},
                                                         {"b.wav", made_wav(8000)},
                                                         {"b.json", "{}"}}))
                                .contents;
  EXPECT_EQ(contents.samples, 2u);
  EXPECT_EQ(contents.with_text, 2u);
  EXPECT_EQ(contents.duration, std::chrono::milliseconds(1500));
  EXPECT_EQ(contents.shortest, std::chrono::milliseconds(500));
  EXPECT_EQ(contents.longest, std::chrono::milliseconds(1000));
  EXPECT_EQ(contents.extensions.at("txt").members, 2u);
  EXPECT_EQ(contents.extensions.at("wav").bytes, 2 * 44 + 2 * 24000u);
  EXPECT_EQ(contents.extensions.at("json").members, 1u);
}

TEST_F(ShardInspectorTest, NamesEachProblem) {
  const std::string wav = made_wav(1000);
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", wav}}), "");
  EXPECT_EQ(issues({{"a.wav", wav}}), "no_transcript ");
  EXPECT_EQ(issues({{"a.txt", " \n"}, {"a.wav", wav}}), "empty_transcript ");
  EXPECT_EQ(issues({{"a.txt", "\xff"}, {"a.wav", wav}}), "bad_transcript ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", wav}, {"a.json", "{"}}), "bad_json ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", wav}, {"a.json", "[]"}}), "");
  EXPECT_EQ(issues({{"a.txt", "x"}}), "no_audio ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", wav}, {"a.flac", wav}}), "several_audio ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", "no audio"}}), "bad_audio ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", wav.substr(0, 1000)}}), "truncated_audio ");
  EXPECT_EQ(issues({{"a.txt", "x"}, {"a.wav", made_wav(0)}}), "empty_audio ");
  EXPECT_EQ(
      issues(
          {{"a.txt", "x"}, {"a.wav", wav}, {"b.txt", "x"}, {"b.wav", wav}, {"a.txt", "x"}, {"a.wav", wav}}),
      "duplicate_key ");
  EXPECT_NE(issues({{"a.txt", "x"}, {"b.txt", "x"}, {"a.wav", wav}, {"b.wav", wav}}).find("split_sample"),
            std::string::npos);
}

TEST_F(ShardInspectorTest, DamageOfTheTarIsNamedWithItsPlace) {
  const std::string wav = made_wav(1000);
  const std::string one = archive::make_tar({{"a.txt", "x"}, {"a.wav", wav}});
  const ShardReport joined = inspected(one + one);
  ASSERT_EQ(joined.issues.all().size(), 2u);  // that, and the note on .txt members
  const auto& [kind, issue] = *joined.issues.all().begin();
  EXPECT_EQ(kind.id, "data_after_end");
  EXPECT_EQ(issue.first.at(0).tar_offset, one.size());
  const ShardReport cut = inspected(one.substr(0, 1700));
  EXPECT_TRUE(cut.issues.has(Severity::damage));
  EXPECT_EQ(cut.issues.all().begin()->first.id, "damaged_sample");
}

}  // namespace

namespace {

using Repeat = ShardKeys::Repeat;
using namespace std::string_literals;

Sample sample(const std::string& key, const std::vector<std::string>& extensions) {
  Sample made{.key = key, .members = {}};
  for (const std::string& extension : extensions) {
    made.members.push_back(
        {.name = key + "." + extension, .extension = extension, .tar_offset = 0, .bytes = {}});
  }
  return made;
}

TEST(ShardKeys, TellsASplitSampleFromASecondOne) {
  ShardKeys keys;
  EXPECT_EQ(keys.add(sample("a", {"txt"})), Repeat::none);
  EXPECT_EQ(keys.add(sample("b", {"txt", "wav"})), Repeat::none);
  EXPECT_EQ(keys.add(sample("a", {"wav"})), Repeat::apart);
  EXPECT_EQ(keys.add(sample("b", {"wav"})), Repeat::again);
  EXPECT_EQ(keys.add(sample("a", {"spk", "txt"})), Repeat::again);
  EXPECT_EQ(keys.take_keys(), "a\0b\0"s);
}

TEST(KeyLedger, FindsTheSameWhateverComesFirst) {
  const std::vector<std::string> shards{"a\0b\0"s, ""s, "c\0b\0"s, "a\0b\0d\0"s};
  const std::vector<std::pair<std::size_t, std::string>> expected{{2, "b"}, {3, "a"}, {3, "b"}};
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    std::vector<std::pair<std::size_t, std::string>> found;
    KeyLedger ledger(shards.size(),
                     [&](std::size_t shard, std::string_view key) { found.emplace_back(shard, key); });
    for (const std::size_t shard : order) ledger.hand_in(shard, shards[shard]);
    EXPECT_EQ(found, expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

}  // namespace shardmill::check
