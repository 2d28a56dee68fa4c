#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/labels/lhotse_rows.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string cut_of_shar(const std::string& id, const std::string& supervisions) {
  return fmt::format(
      R"({{"id":"{}","start":5,"duration":3,"channel":0,"type":"MonoCut","supervisions":[{}],"recording":)"
      R"({{"id":"r","sources":[{{"type":"shar","channels":[0],"source":""}}],"sampling_rate":8000,"duration":3}}}})"
      "\n",
      id, supervisions);
}

TEST(LhotseSharTest, FilesByTheirNumbers) {
  testing::TemporaryFolder folder;
  EXPECT_THAT(shar_in(folder.path().string()).shards, IsEmpty());
  for (const char* name : {"cuts.000000.jsonl", "cuts.000001.jsonl", "recording.000000.tar",
                           "mos.000000.jsonl", "features.000000.tar", "recording.000007.tar"})
    folder.write(name, "x");
  const SharFolder found = shar_in(folder.path().string());
  ASSERT_EQ(found.shards.size(), 2U);
  EXPECT_EQ(found.shards[0].audio, folder.file("recording.000000.tar"));
  EXPECT_THAT(found.shards[0].tables, ElementsAre(folder.file("mos.000000.jsonl")));
  EXPECT_EQ(found.shards[1].audio, "");
  EXPECT_THAT(found.others, ElementsAre(folder.file("features.000000.tar")));
  EXPECT_THAT(found.without_cuts, ElementsAre(folder.file("recording.000007.tar")));
  EXPECT_EQ(found.gap, "");
  folder.write("cuts.000010.jsonl", "x");
  EXPECT_EQ(shar_in(folder.path().string()).gap, folder.file("cuts.000002.jsonl"));
}

TEST(LhotseSharTest, TheAudioIsThatOfTheCut) {
  testing::TemporaryFolder folder;
  const SharShard shard{
      .cuts = folder.write("cuts.000000.jsonl",
                           cut_of_shar("one", R"({"id":"s","start":0.5,"duration":1,"text":"whole"})") +
                               cut_of_shar("two", R"({"id":"t1","start":0.5,"duration":1,"text":"first"},)"
                                                  R"({"id":"t2","start":1.5,"duration":1,"text":"second"})") +
                               cut_of_shar("none", "")),
      .audio = {},
      .tables = {folder.write("mos.000000.jsonl", R"({"cut_id":"one","mos":3.5})"
                                                  "\n{\"cut_id\":\"two\"}\n{\"cut_id\":\"none\"}\n")}};
  const auto tree = shar_tree(shard, {}, "dev").begin();
  const auto says = [&](const std::string& audio) {
    std::vector<std::string> lines;
    const std::vector<TreeUtterance> utterances = tree->find(audio).value();
    for (const TreeUtterance& each : utterances)
      lines.push_back(fmt::format("{} {}-{} '{}' {}", each.key, each.begin_seconds, each.end_seconds,
                                  each.text.value_or("-"), each.is_unlisted ? each.lacks : each.members()));
    return lines;
  };
  EXPECT_THAT(says("one.flac"), ElementsAre(R"(one 0-inf 'whole' "mos":3.5,"subset":"dev")"));
  EXPECT_THAT(says("two.flac"),
              ElementsAre(HasSubstr("t1 0.5-1.5 'first'"), HasSubstr("t2 1.5-2.5 'second'")));
  EXPECT_THAT(says("other.flac"), ElementsAre(HasSubstr("no cut of")));
  std::vector<std::string> lost;
  tree->report_rest(
      [&](const LostAudio& one) { lost.push_back(std::string(one.key) + ": " + one.error.what()); });
  EXPECT_THAT(lost, ElementsAre(HasSubstr("line 3: there is no audio 'none' in its shard")));
}

TEST(LhotseSharTest, TheBeginCountsWhereTheAudioIsLonger) {
  testing::TemporaryFolder folder;
  std::string whole = cut_of_shar("one", R"({"id":"s","start":-1,"duration":2,"text":"t"})");
  whole.replace(whole.rfind("\"duration\":3"), 12, "\"duration\":9");
  const SharShard shard{.cuts = folder.write("cuts.jsonl", whole), .audio = {}};
  const auto found = shar_tree(shard, {}, "").begin()->find("one.flac");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().begin_seconds, 5);
  EXPECT_EQ(found->front().end_seconds, 8);
  EXPECT_EQ(found->front().text_doubt, "text_beyond_audio");
}

TEST(LhotseSharTest, ChannelsAreThoseOfTheCut) {
  testing::TemporaryFolder folder;
  const auto channels = [&](const std::string& of_cut) {
    std::string cut = cut_of_shar("one", R"({"id":"s","start":0,"duration":1,"channel":1,"text":"t"},)"
                                         R"({"id":"u","start":1,"duration":1,"channel":2,"text":"u"})");
    cut.replace(cut.find("\"channel\":0"), 11, "\"channel\":" + of_cut);
    cut.replace(cut.find("\"channels\":[0]"), 14, "\"channels\":[0,1,2]");
    const SharShard shard{.cuts = folder.write("cuts.jsonl", cut), .audio = {}};
    std::vector<std::optional<std::uint64_t>> found;
    const auto utterances = shar_tree(shard, {}, "").begin()->find("one.flac");
    for (const TreeUtterance& each : *utterances) found.push_back(each.channel);
    return found;
  };
  EXPECT_THAT(channels("[1,2]"), ElementsAre(0U, 1U));
  EXPECT_THAT(channels("[2,1]"), ElementsAre(0U, 1U));
  EXPECT_THAT(channels("[0,1,2]"), ElementsAre(1U, 2U));
}

TEST(LhotseSharTest, ATableDoesNotReplaceTheSpeakerOfTheSupervision) {
  testing::TemporaryFolder folder;
  const std::string cuts =
      folder.write("cuts.jsonl", cut_of_shar("one", R"({"id":"s","start":0,"duration":1,"speaker":"a"})"));
  const std::string table = folder.write("speaker.jsonl", R"({"cut_id":"one","speaker":"b","mos":3})"
                                                          "\n");
  const auto tree = shar_tree({.cuts = cuts, .audio = {}, .tables = {table}}, {}, "").begin();
  EXPECT_EQ(tree->find("one.flac")->front().members(), R"("speaker":"a","mos":3)");
}

TEST(LhotseSharTest, ATableHasALineForEachCut) {
  testing::TemporaryFolder folder;
  const SharShard shard{.cuts = folder.write("cuts.jsonl", cut_of_shar("one", "") + cut_of_shar("two", "")),
                        .audio = {},
                        .tables = {folder.write("mos.jsonl", "{\"cut_id\":\"one\",\"mos\":3.5}\n")}};
  try {
    shar_tree(shard, {}, "dev").begin();
    ADD_FAILURE() << "took a table that is too short";
  } catch (const Error& error) {
    EXPECT_THAT(error.problem(), HasSubstr("mos.jsonl has 1 line"));
    EXPECT_THAT(error.problem(), HasSubstr("cuts.jsonl has 2 cuts"));
  }
}

TEST(LhotseSharTest, ALineOfATableSaysWhichCutItIsOf) {
  testing::TemporaryFolder folder;
  const std::string cuts = folder.write("cuts.jsonl", cut_of_shar("one", "") + cut_of_shar("two", ""));
  const auto read = [&](const std::string& second) {
    const std::string table = folder.write("mos.jsonl", "{\"cut_id\":\"one\",\"mos\":3.5}\n" + second + "\n");
    shar_tree({.cuts = cuts, .audio = {}, .tables = {table}}, {}, "dev").begin();
  };
  for (const char* placeholder : {R"({"cut_id":"two"})", "{}", "null"}) EXPECT_NO_THROW(read(placeholder));
  EXPECT_THROW(read(R"({"mos":2.5})"), Error);
  EXPECT_THROW(read(R"({"id":"two","mos":2.5})"), Error);
}

}  // namespace
}  // namespace shardmill::source
