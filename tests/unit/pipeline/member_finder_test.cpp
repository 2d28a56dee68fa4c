#include "pipeline/member_finder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/bytes.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;
using Files = std::vector<std::pair<std::string, std::string>>;

/// What is found in a tar of these files, or why nothing is; fed in steps of 1000 bytes.
std::string found_in(const std::string& tar, const std::string& wanted) {
  MemberFinder finder(wanted);
  const auto bytes = base::as_bytes(tar);
  for (std::size_t at = 0; at < bytes.size() && !finder.decided(); at += 1000)
    finder.feed(bytes.subspan(at, std::min<std::size_t>(1000, bytes.size() - at)));
  finder.finish();
  try {
    const archive::TarMember& member = finder.found("shard.tar");
    return member.name + ": " + testing::text_of(member.bytes);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string found_among(const Files& files, const std::string& wanted) {
  return found_in(archive::make_tar(files), wanted);
}

const Files kSamples{
    {"a.txt", "ta"}, {"a.wav", "wa"}, {"b.wav", "wb"}, {"./c.txt", "tc"}, {"./c.json", "jc"}};

TEST(MemberFinderTest, AWholeNameIsThatMember) {
  EXPECT_EQ(found_among(kSamples, "a.txt"), "a.txt: ta");
  EXPECT_EQ(found_among(kSamples, "c.json"), "./c.json: jc");
  EXPECT_EQ(found_among(kSamples, "./c.json"), "./c.json: jc");
}

TEST(MemberFinderTest, AKeyIsItsAudioOrItsOnlyMember) {
  EXPECT_EQ(found_among(kSamples, "a"), "a.wav: wa");
  EXPECT_EQ(found_among(kSamples, "b"), "b.wav: wb");
  EXPECT_EQ(found_among({{"only.txt", "t"}}, "only"), "only.txt: t");
}

TEST(MemberFinderTest, AKeyWithoutAudioMustBeGivenWithItsExtension) {
  EXPECT_THAT(found_among(kSamples, "c"), HasSubstr("none is audio"));
}

TEST(MemberFinderTest, WhatIsNotThereIsAnError) {
  EXPECT_THAT(found_among(kSamples, "d"), HasSubstr("has no member 'd'"));
  EXPECT_THAT(found_among(kSamples, "a.flac"), HasSubstr("has no member 'a.flac'"));
  EXPECT_THAT(found_among({}, "a"), HasSubstr("has no member 'a'"));
}

TEST(MemberFinderTest, ItStopsAfterTheSample) {
  const std::string tar = archive::make_tar({{"a.wav", "wa"}, {"b.wav", "wb"}, {"a.txt", "late"}});
  MemberFinder finder("a");
  finder.feed(base::as_bytes(tar));
  EXPECT_TRUE(finder.decided());
  EXPECT_EQ(finder.found("shard.tar").name, "a.wav");
}

TEST(MemberFinderTest, DamageBeforeItIsSaid) {
  std::string tar = archive::make_tar(kSamples);
  tar.resize(1536 + 100);
  EXPECT_THAT(found_in(tar, "b"), HasSubstr("no member 'b' before the damage"));
  EXPECT_EQ(found_in(tar, "a.txt"), "a.txt: ta") << "what is before it is found";
}

}  // namespace
}  // namespace shardmill::pipeline
