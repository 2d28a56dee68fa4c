#include "shard/sample_grouper.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "stride.hpp"

namespace shardmill::shard {

namespace {

struct Grouped {
  std::vector<GroupedSample> samples;
  std::vector<ShardFinding> findings;

  std::string keys() const {
    std::string out;
    for (const GroupedSample& sample : samples) {
      out += (sample.damage.empty() ? "" : "!") + sample.sample.key + ":";
      for (const Member& member : sample.sample.members) out += member.extension + ",";
      out += " ";
    }
    return out;
  }
};

class Recorder final : public SampleSink {
 public:
  void on_sample(GroupedSample&& sample) override {
    sample.load();
    grouped.samples.push_back(std::move(sample));
  }
  void on_finding(ShardFinding&& finding) override { grouped.findings.push_back(std::move(finding)); }

  Grouped grouped;
};

constexpr std::uint64_t kLimit = 1 << 20;
using Files = std::vector<std::pair<std::string, std::string>>;

/// Feeds `tar` with a gap instead of the bytes from `begin` to `end`.
Grouped group(std::string_view tar, std::size_t begin = 0, std::size_t end = 0, KeyRule rule = KeyRule::wenet,
              MemberStorage storage = {}) {
  Recorder recorder;
  SampleGrouper grouper(recorder, rule, {}, std::move(storage));
  archive::TarParser parser(grouper, kLimit);
  parser.feed(base::as_bytes(tar.substr(0, begin)));
  if (end > begin) parser.gap();
  parser.feed(base::as_bytes(tar.substr(end)));
  parser.finish();
  grouper.finish(parser.offset());
  return std::move(recorder.grouped);
}

Files pairs(int count) {
  Files files;
  for (int i = 0; i < count; ++i) {
    files.emplace_back(fmt::format("k{}.txt", i), fmt::format("text {}", i));
    files.emplace_back(fmt::format("k{}.wav", i), std::string(1000, static_cast<char>('a' + i)));
  }
  return files;
}

TEST(SampleGrouper, AdjacentMembersOfOneKeyAreASample) {
  const Grouped all = group(archive::make_tar({{"a.txt", "1"},
                                               {"a.wav", "2"},
                                               {"./b.wav", "3"},
                                               {"b.json", "4"},
                                               {"a.txt", "5"},
                                               {"d/c.FLAC", "6"}}));
  EXPECT_EQ(all.keys(), "a:txt,wav, b:wav,json, a:txt, d/c:flac, ");
  EXPECT_TRUE(all.findings.empty());
  EXPECT_EQ(all.samples[0].begin_offset, 0U);
  EXPECT_EQ(all.samples[0].resume_offset, 2048U);
  EXPECT_EQ(all.samples[1].begin_offset, 2048U);
  EXPECT_EQ(all.samples[1].sample.members[0].name, "./b.wav");
  EXPECT_EQ(all.samples[1].sample.members[0].tar_offset, 2048U + 512U);
}

TEST(SampleGrouper, TheWebdatasetRuleKeepsDoubleExtensionsTogether) {
  const std::string tar = archive::make_tar({{"a.txt", "1"}, {"a.seg.txt", "2"}, {"a.wav", "3"}});
  EXPECT_EQ(group(tar, 0, 0, KeyRule::webdataset).keys(), "a:txt,seg.txt,wav, ");
  EXPECT_EQ(group(tar).keys(), "a:txt, a.seg:txt, a:wav, ");
}

TEST(SampleGrouper, ASecondMemberOfOneExtensionBeginsANewSample) {
  const Grouped all =
      group(archive::make_tar({{"a.txt", "1"}, {"a.wav", "2"}, {"a.txt", "3"}, {"a.WAV", "4"}}));
  EXPECT_EQ(all.keys(), "a:txt,wav, a:txt,wav, ");
  ASSERT_EQ(all.findings.size(), 1U);
  EXPECT_EQ(all.findings[0].problem, ShardProblem::duplicate_member);
}

TEST(SampleGrouper, MembersWithoutAKeyAreReportedAndPartNothing) {
  const Grouped all = group(archive::make_tar({{"a.txt", "1"}, {"README", "x"}, {"a.wav", "2"}}));
  EXPECT_EQ(all.keys(), "a:txt,wav, ");
  ASSERT_EQ(all.findings.size(), 1U);
  EXPECT_EQ(all.findings[0].problem, ShardProblem::no_key);
  EXPECT_EQ(all.findings[0].name, "README");
}

TEST(SampleGrouper, ARefusedMemberMarksItsSample) {
  const std::string end(archive::kTarEndBytes, '\0');
  const std::string first = archive::entry('0', "a.txt", "1") + archive::entry('2', "a.wav", "");
  const std::string second = archive::entry('0', "b.txt", "1") + archive::entry('0', "b.wav", "2");
  EXPECT_EQ(group(first + second + end).keys(), "!a:txt, b:txt,wav, ");
  const std::string before = archive::entry('0', "a.txt", "1") + archive::entry('0', "a.wav", "1");
  const std::string lost = archive::entry('2', "b.txt", "") + archive::entry('0', "b.wav", "2");
  const Grouped all = group(before + lost + second + end);
  EXPECT_EQ(all.keys(), "a:txt,wav, !b:wav,txt, b:wav, ");
}

TEST(SampleGrouper, AGapCostsOnlySamplesThatTouchIt) {
  const Files files = pairs(6);
  const std::string tar = archive::make_tar(files);
  const Grouped whole = group(tar);
  ASSERT_EQ(whole.samples.size(), 6U);
  const std::size_t first_end = whole.samples[1].begin_offset;
  for (const std::size_t length : {1U, 300U, 512U, 700U, 1600U, 3000U}) {
    // From the second sample on the usual shape of a sample is known.
    for (std::size_t begin = first_end; begin + length + archive::kTarEndBytes < tar.size();
         begin += shardmill::testing::kStride) {
      const std::size_t end = begin + length;
      const Grouped damaged = group(tar, begin, end);
      for (std::size_t i = 0; i < 6; ++i) {
        const GroupedSample& sample = whole.samples[i];
        const Member& last = sample.sample.members.back();
        bool touched = false;  // a gap in the padding between members takes nothing away
        for (const Member& member : sample.sample.members) {
          const std::uint64_t header = member.tar_offset - archive::kTarBlockBytes;
          touched |= header < end && member.tar_offset + member.bytes.size() > begin;
        }
        bool kept = false;
        for (const GroupedSample& other : damaged.samples) {
          if (other.sample.key != sample.sample.key || !other.damage.empty()) continue;
          kept = true;
          ASSERT_EQ(other.sample.members.size(), 2U) << begin << " " << length;
          ASSERT_EQ(other.sample.members[1].bytes, last.bytes);
        }
        ASSERT_EQ(kept, !touched) << "sample " << i << " gap " << begin << " to " << end;
      }
    }
  }
}

TEST(SampleGrouper, ACutTarKeepsWholeSamples) {
  const std::string tar = archive::make_tar(pairs(3));
  const Grouped whole = group(tar);
  for (std::size_t cut = 1; cut < tar.size(); ++cut) {
    const Grouped damaged = group(std::string_view(tar).substr(0, cut));
    std::size_t good = 0;
    for (const GroupedSample& sample : damaged.samples) good += sample.damage.empty() ? 1 : 0;
    std::size_t expected = 0;
    for (const GroupedSample& sample : whole.samples) {
      expected += sample.sample.members.back().tar_offset + 1000 <= cut ? 1 : 0;
    }
    ASSERT_EQ(good, expected) << cut;
  }
}

/// All that is told of a shard.
std::string in_words(const Grouped& grouped) {
  std::string words;
  for (const GroupedSample& sample : grouped.samples) {
    words += fmt::format("{} {} '{}' {}:", sample.sample.key, sample.begin_offset, sample.damage,
                         sample.resume_offset.value_or(0));
    for (const Member& member : sample.sample.members)
      words += fmt::format("{} at {} {},", member.name, member.tar_offset, archive::text(member.bytes));
  }
  for (const ShardFinding& finding : grouped.findings)
    words += fmt::format("{} {} {} {},", finding.name, finding.offset, finding.bytes, finding.text);
  return words;
}

TEST(SampleGrouper, WhatIsStoredChangesNothing) {
  const std::string tar = archive::make_tar({{"a.txt", "text"},
                                             {"a.wav", std::string(2000, 'a')},
                                             {"nokey", std::string(700, 'n')},
                                             {"b.txt", std::string(600, 't')},
                                             {"b.json", std::string(500, 'j')},
                                             {"b.wav", std::string(900, 'b')},
                                             {"b.wav", std::string(800, 'c')},
                                             {"c.txt", ""},
                                             {"c.wav", std::string(1000, 'd')}});
  std::size_t files = 0;
  const auto file = [&](std::uint64_t) {
    ++files;
    return base::memory_file({}, "stored");
  };
  for (const std::uint64_t in_memory : {0U, 510U, 1000U, 1500U}) {
    const MemberStorage storage{.in_memory_bytes = in_memory, .file = file};
    for (std::size_t begin = 0; begin < tar.size(); begin += 100) {
      for (const std::size_t end : {begin, begin + 1, begin + 512, tar.size()}) {
        if (end > tar.size()) continue;
        ASSERT_EQ(in_words(group(tar, begin, end, KeyRule::wenet, storage)), in_words(group(tar, begin, end)))
            << in_memory << " " << begin << " " << end;
      }
    }
  }
  EXPECT_GT(files, 0U);
  files = 0;
  group(tar, 0, 0, KeyRule::wenet, {.in_memory_bytes = 1500, .file = file});
  EXPECT_EQ(files, 2U);  // for a.wav, and for b.wav, which comes after what is in memory of its sample
  files = 0;
  group(tar, 0, 0, KeyRule::wenet, {.in_memory_bytes = 1500, .most_bytes = 1000, .file = file});
  EXPECT_EQ(files, 1U);  // for b.wav
}

TEST(SampleGrouper, TheSampleOfAMemberThatIsStoredIsKnownFromItsHeader) {
  const std::string tar = archive::make_tar({{"a.txt", "text"}, {"a.wav", std::string(2000, 'a')}});
  Recorder recorder;
  SampleGrouper grouper(recorder, KeyRule::wenet, {},
                        {.in_memory_bytes = 1000, .file = [](std::uint64_t bytes) {
                           EXPECT_EQ(bytes, 2000U);
                           return base::memory_file({}, "stored");
                         }});
  archive::TarParser parser(grouper, kLimit);
  parser.feed(base::as_bytes(tar).first(1024));
  EXPECT_FALSE(grouper.coming());
  parser.feed(base::as_bytes(tar).subspan(1024, 512));
  ASSERT_TRUE(grouper.coming());
  EXPECT_EQ(grouper.coming()->key, "a");
  EXPECT_EQ(grouper.coming()->bytes, 2004U);
  parser.feed(base::as_bytes(tar).subspan(1536));
  EXPECT_FALSE(grouper.coming());
}

TEST(SampleGrouper, AnotherRunCanBeginAtEveryResumeOffset) {
  const std::string tar = archive::make_tar(pairs(4));
  const Grouped whole = group(tar);
  for (std::size_t i = 0; i < whole.samples.size(); ++i) {
    ASSERT_TRUE(whole.samples[i].resume_offset);
    const std::uint64_t start = *whole.samples[i].resume_offset;
    Recorder recorder;
    SampleGrouper grouper(recorder, KeyRule::wenet, whole.samples[i].shape);
    archive::TarParser parser(grouper, kLimit, start);
    parser.feed(base::as_bytes(std::string_view(tar).substr(start)));
    EXPECT_TRUE(i == 3 || grouper.boundary());
    parser.finish();
    grouper.finish(parser.offset());
    ASSERT_EQ(recorder.grouped.samples.size(), whole.samples.size() - i - 1);
    for (std::size_t k = 0; k < recorder.grouped.samples.size(); ++k) {
      EXPECT_EQ(recorder.grouped.samples[k].begin_offset, whole.samples[i + 1 + k].begin_offset);
      EXPECT_EQ(recorder.grouped.samples[k].sample.members[1].bytes,
                whole.samples[i + 1 + k].sample.members[1].bytes);
    }
  }
}

TEST(SampleGrouper, NothingResumesBesideDamage) {
  const std::string tar = archive::make_tar(pairs(4));
  const Grouped whole = group(tar);
  const std::size_t hit = whole.samples[2].begin_offset + 100;
  const Grouped damaged = group(tar, hit, hit + 10);
  EXPECT_EQ(damaged.keys(), "k0:txt,wav, k1:txt,wav, !k2:wav, k3:txt,wav, ");
  EXPECT_TRUE(damaged.samples[0].resume_offset);
  EXPECT_TRUE(damaged.samples[2].resume_offset);
  EXPECT_FALSE(damaged.samples[1].resume_offset && *damaged.samples[1].resume_offset > hit);
}

}  // namespace

namespace {

Member member(std::uint64_t tar_offset) {
  return {.name = "k.wav", .extension = "wav", .tar_offset = tar_offset, .bytes = {}};
}

TEST(StoredMembers, GiveEachMemberItsBytes) {
  StoredMembers stored(base::memory_file({}, "file"));
  stored.add(base::as_bytes("one"));
  stored.end_member(512);
  stored.add(base::as_bytes("never whole"));
  stored.drop_member();
  stored.add(base::as_bytes("tw"));
  stored.add(base::as_bytes("o"));
  stored.end_member(2048);
  Sample sample{.key = "k", .members = {member(2048), member(1024), member(512)}};
  EXPECT_EQ(stored.bytes_of(sample.members[0]), 3U);
  EXPECT_EQ(stored.bytes_of(sample.members[1]), 0U);
  stored.load(sample);
  const auto is = [](const Member& one, std::string_view text) {
    return std::ranges::equal(one.bytes, base::as_bytes(text));
  };
  EXPECT_TRUE(is(sample.members[0], "two"));
  EXPECT_TRUE(is(sample.members[1], ""));
  EXPECT_TRUE(is(sample.members[2], "one"));
}

TEST(StoredMembers, BytesThatChangedAreNeverTaken) {
  const base::File file = base::memory_file({}, "file");
  StoredMembers stored(file.duplicate());
  stored.add(base::as_bytes("sound"));
  stored.end_member(512);
  Sample sample{.key = "k", .members = {member(512)}};
  file.write_at(base::as_bytes("S"), 0);
  EXPECT_THROW(stored.load(sample), FatalError);
  file.write_at(base::as_bytes("s"), 0);
  stored.load(sample);
  file.truncate(3);
  EXPECT_THROW(stored.load(sample), FatalError);
}

}  // namespace

}  // namespace shardmill::shard
