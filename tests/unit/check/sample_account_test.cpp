#include "check/sample_account.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/io/file.hpp"

namespace shardmill::check {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SampleAccountTest : public ::testing::Test {
 protected:
  void source(const std::string& key, std::uint64_t content, std::uint64_t copies = 1) {
    account_.add_source(0, key, content, copies);
  }
  void output(const std::string& key, std::uint64_t content) { account_.add_output(0, key, content); }
  void reject(const std::string& key) { account_.add_reject(key); }

  /// "file member: what", in the order of the text.
  std::vector<std::string> settle(bool is_limited = false) {
    FindingList findings;
    account_.settle({.source_files = {"source"}, .shards = {"shard"}, .rejects = "rejects"}, is_limited,
                    findings);
    std::vector<std::string> texts;
    for (const Finding& finding : findings.take()) {
      texts.push_back(finding.where.path + " " + finding.where.member + ": " + finding.what.substr(0, 10));
    }
    return texts;
  }

  SampleAccount account_;
};

TEST_F(SampleAccountTest, EachSampleOnceIsInOrder) {
  for (std::uint64_t i = 1; i < 100; ++i) {
    source("k" + std::to_string(i), i);
    output("k" + std::to_string(100 - i), 100 - i);
  }
  EXPECT_THAT(settle(), IsEmpty());
  EXPECT_EQ(account_.source_samples(), 99U);
}

TEST_F(SampleAccountTest, WhatIsLostOrInventedIsNamed) {
  source("lost", 1);
  output("invented", 2);
  source("changed", 3);
  output("changed", 4);
  source("good", 5);
  output("good", 5);
  EXPECT_THAT(settle(), ElementsAre("shard changed: no source ", "shard invented: no source ",
                                    "source changed: is in none", "source lost: is in none"));
}

TEST_F(SampleAccountTest, OtherFieldsAreNamed) {
  account_.add_source(0, "same", 1, 1, {.facts = 1, .dataset = 2});
  account_.add_output(0, "same", 1, {.facts = 1, .dataset = 2, .source = 3});
  account_.add_source(0, "speaker", 2, 1, {.facts = 1});
  account_.add_output(0, "speaker", 2, {.facts = 9});
  // Each output must find its own source, whatever the order.
  account_.add_source(0, "twice", 3, 1, {.facts = 1});
  account_.add_source(0, "twice", 3, 1, {.facts = 2});
  account_.add_output(0, "twice", 3, {.facts = 2});
  account_.add_output(0, "twice", 3, {.facts = 1});
  EXPECT_THAT(settle(), ElementsAre("shard speaker: its furthe"));
}

TEST(FactsHash, DependsOnNamesAndValuesAlone) {
  const std::uint32_t hash = facts_hash(R"("speaker":"a","n":{"b":[1,2]})");
  EXPECT_EQ(facts_hash(R"("n": {"b": [1, 2]}, "speaker": "\u0061")"), hash);
  EXPECT_NE(facts_hash(R"("speaker":"b","n":{"b":[1,2]})"), hash);
  EXPECT_NE(facts_hash(R"("speaker":"a")"), hash);
  EXPECT_NE(facts_hash(""), 0U);
}

TEST_F(SampleAccountTest, CopiesAreCounted) {
  source("a", 1, 3);
  source("none", 2, 0);
  for (int i = 0; i < 3; ++i) output("a", 1);
  EXPECT_THAT(settle(), IsEmpty());
  output("a", 1);
  output("none", 2);
  EXPECT_THAT(
      settle(),
      ElementsAre(::testing::StartsWith("shard a: is there m"), ::testing::StartsWith("shard a: is there m"),
                  ::testing::StartsWith("shard a: is there m"), ::testing::StartsWith("shard a: is there m"),
                  ::testing::StartsWith("shard none: is there m")));
}

TEST_F(SampleAccountTest, ARejectMayStandForCopies) {
  for (const std::string key : {"good", "lost", "invented"}) {
    source(key, 1, 4);
    output(key, 1);
    account_.add_reject(key, RejectKind::duplicate, 2);
  }
  output("good", 1);
  output("invented", 1);
  output("invented", 1);
  EXPECT_THAT(settle(), ElementsAre("rejects : names 'inv", "source lost: is in none"));
}

TEST_F(SampleAccountTest, TheSameKeyInTwoSources) {
  source("k", 1);
  source("k", 1);
  source("k", 2);
  output("k", 2);
  output("k", 1);
  reject("k");
  EXPECT_THAT(settle(), IsEmpty());
}

TEST_F(SampleAccountTest, RejectsExcuseWhatIsMissingAndNothingElse) {
  source("bad", kNoContent);
  source("", kNoContent);
  source("", kNoContent);
  reject("bad");
  reject("");
  reject("unknown");
  EXPECT_THAT(settle(), ElementsAre("rejects : names 'unk", "source : something "));
}

TEST_F(SampleAccountTest, AFileThatWasReadAgainExcusesWhatItMayHaveHad) {
  const auto settle_with = [](Reads reads, int outputs, std::vector<RejectKind> rejects, bool is_there) {
    SampleAccount account;
    account.add_source(0, "k", 1, reads.sure);
    for (int i = 0; i < outputs; ++i) account.add_output(0, "k", 1);
    for (const RejectKind kind : rejects) account.add_reject("k", kind);
    FindingList findings;
    account.settle({.source_files = {"source"},
                    .reads = {reads},
                    .shards = {"shard"},
                    .rejects = "rejects",
                    .is_key_there = [is_there](std::uint32_t, std::string_view) { return is_there; }},
                   false, findings);
    return findings.take().size();
  };
  using enum RejectKind;
  EXPECT_EQ(settle_with({2, 0}, 1, {duplicate}, true), 0U);
  EXPECT_EQ(settle_with({2, 0}, 0, {duplicate}, false), 1U);
  EXPECT_EQ(settle_with({2, 0}, 1, {duplicate, duplicate}, true), 1U);
  EXPECT_EQ(settle_with({1, 1}, 1, {duplicate}, true), 0U);
  EXPECT_EQ(settle_with({1, 1}, 2, {}, true), 0U);
  EXPECT_EQ(settle_with({1, 1}, 1, {duplicate, duplicate}, true), 1U);
  // The sample for which another one was left out is not there.
  EXPECT_EQ(settle_with({1, 1}, 0, {duplicate}, false), 1U);
  EXPECT_EQ(settle_with({1, 1}, 0, {removed, duplicate}, false), 1U);
  EXPECT_EQ(settle_with({1, 1}, 0, {duplicate, removed}, false), 0U);
}

TEST_F(SampleAccountTest, ALimitLeavesSamplesOut) {
  source("a", 1);
  source("b", 2);
  output("a", 1);
  EXPECT_THAT(settle(true), IsEmpty());
}

TEST(ContentHashTest, DependsOnEverything) {
  const base::Xxh128 one = base::xxh3_128(base::as_bytes("one"));
  const base::Xxh128 two = base::xxh3_128(base::as_bytes("two"));
  const std::uint64_t hash = content_hash(one, "text", {});
  EXPECT_EQ(content_hash(one, "text", {}), hash);
  EXPECT_NE(content_hash(two, "text", {}), hash);
  EXPECT_NE(content_hash(one, "texts", {}), hash);
  EXPECT_NE(content_hash(one, "text", std::vector{two}), hash);
}

TEST(RecordedKeyTest, IsWhatJsonMakesOfIt) {
  EXPECT_EQ(recorded_key("a/b 你好"), "a/b 你好");
  EXPECT_EQ(recorded_key("a\xff"
                         "b"),
            "a\xEF\xBF\xBD"
            "b");
}

}  // namespace

namespace {

using Input = manifest::RunRecord::Input;

Input input(const std::string& path, std::uint64_t bytes, std::int64_t time = 1,
            const std::string& dataset = "d") {
  return {.dataset = dataset, .path = path, .bytes = bytes, .mtime_ns = time};
}

TEST(SourceReadsTest, WhatNoRecordNamesWasReadOnce) {
  SourceReads reads;
  EXPECT_FALSE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1}), (Reads{1, 0}));
}

TEST(SourceReadsTest, CountsReadsOfAnUnchangedFile) {
  SourceReads reads;
  reads.add({input("a", 1), input("b", 2), input("./x/../a", 1)});
  EXPECT_TRUE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
  EXPECT_EQ(reads.of({.path = "b", .bytes = 2, .mtime_ns = 1}), (Reads{1, 0}));
  // A copy has another time.
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 9}), (Reads{2, 0}));
}

TEST(SourceReadsTest, OfAFileThatChangedTheReadsBeforeAreUnsure) {
  SourceReads reads;
  reads.add({input("a", 1), input("a", 2), input("a", 2)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 2, .mtime_ns = 1}), (Reads{2, 1}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 3, .mtime_ns = 1}), (Reads{1, 2}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 2, .mtime_ns = 1, .is_told_elsewhere = true}), (Reads{1, 2}));
}

TEST(SourceReadsTest, TheSameSizeAtAnotherTimeIsAnotherFile) {
  SourceReads reads;
  reads.add({input("a", 1, 5), input("a", 1, 6)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 6}), (Reads{1, 1}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 7}), (Reads{1, 1}));
}

TEST(SourceReadsTest, DatasetsOfOneRunShareTheFirstRead) {
  SourceReads reads;
  reads.add({input("a", 1), input("a", 1)});
  reads.add({input("a", 1)});
  reads.add({input("a", 1)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
}

TEST(SourceReadsTest, SamplesOfADatasetMayHaveBeenInAnotherShard) {
  SourceReads reads;
  reads.add({input("d/shard0", 1), input("d/dataset.json", 1), input("d/shard0", 1), input("d/shard1", 7),
             input("d/dataset.json", 2)});
  const auto of = [&](const std::string& path, std::uint64_t bytes) {
    return reads.of({.path = path, .bytes = bytes, .mtime_ns = 1, .read_with = "d/dataset.json"});
  };
  EXPECT_EQ(of("d/shard0", 1), (Reads{2, 0}));
  EXPECT_EQ(of("d/shard0", 9), (Reads{1, 1}));
  EXPECT_EQ(of("d/shard1", 7), (Reads{1, 1}));
  EXPECT_EQ(of("d/shard2", 7), (Reads{1, 1}));
}

TEST(SourceReadsTest, AFileForSeveralDatasets) {
  SourceReads reads;
  reads.add({input("a", 1, 1, "x"), input("a", 1, 1, "y")});
  EXPECT_TRUE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1, .dataset = "y"}), (Reads{1, 0}));
}

}  // namespace

}  // namespace shardmill::check
