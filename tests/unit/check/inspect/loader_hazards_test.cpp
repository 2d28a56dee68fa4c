#include "check/inspect/loader_hazards.hpp"

#include <gtest/gtest.h>

namespace shardmill::check {
namespace {

ShardReport shard(const std::string& path,
                  std::initializer_list<std::pair<const char*, std::uint64_t>> members) {
  ShardReport report{.path = path, .contents = {}, .issues = {}};
  for (const auto& [extension, count] : members) report.contents.extensions[extension].members = count;
  return report;
}

TEST(LoaderHazards, NamesThatNemoDoesNotTake) {
  for (const char* good : {"shards/audio_0.tar", "audio_000000012.tar"}) {
    ShardReport report = shard(good, {});
    check_shard_name(report);
    EXPECT_TRUE(report.issues.all().empty()) << good;
  }
  for (const char* bad : {"speech.tar", "audio.tar", "audio_x.tar", "audio_0.zip"}) {
    ShardReport report = shard(bad, {});
    check_shard_name(report);
    EXPECT_EQ(report.issues.all().count(issue::kShardName), 1u) << bad;
  }
}

TEST(LoaderHazards, TextMembersCountOnlyBesideAudio) {
  ShardReport report = shard("a", {{"txt", 7}, {"wav", 7}});
  check_text_members(report);
  EXPECT_TRUE(report.issues.all().empty());  // no audio could be read
  report.contents.add(AudioInfo{.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 1});
  check_text_members(report);
  EXPECT_EQ(report.issues.all().at(issue::kTextMembers).count, 7u);
}

TEST(LoaderHazards, TheContainersThatFewerMembersHaveAreOdd) {
  DatasetReport dataset;
  dataset.shards.push_back(shard("a", {{"wav", 10}, {"txt", 10}}));
  check_containers(dataset);
  EXPECT_TRUE(dataset.issues.all().empty());
  dataset.shards.push_back(shard("b", {{"wav", 1}, {"flac", 4}, {"json", 90}}));
  dataset.shards.push_back(shard("c", {{"flac", 3}}));
  check_containers(dataset);
  const Issue& issue = dataset.issues.all().at(issue::kMixedContainers);
  EXPECT_EQ(issue.count, 7u);
  EXPECT_EQ(issue.shards, 2u);
  EXPECT_EQ(issue.first.front().what, "flac");
}

}  // namespace
}  // namespace shardmill::check
