#include "convert/cat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/bytes.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::convert {
namespace {

class CatTest : public ::testing::Test {
 protected:
  std::string cat(const CatOptions& options) {
    const std::string path = folder_.file("out");
    base::File out = base::File::create(path);
    const CatSummary summary = run_cat(options, out, made_.workers(), made_.reporter());
    out.close();
    const std::string text = base::read_text(path);
    EXPECT_EQ(summary.bytes, text.size());
    return text;
  }

  testing::MadeDataset made_;
  testing::TemporaryFolder folder_;
};

TEST_F(CatTest, GivesThePlainTarOfAnyCompression) {
  const std::string tar = base::read_text(made_.source());
  for (const char* program : {"cat", "bzip2 -c", "gzip -c", "xz -0c", "zstd -qc", "lz4 -qc"}) {
    const std::string shard = folder_.write("shard", codec::testing::through(program, tar));
    EXPECT_TRUE(cat({.shard = shard, .member = ""}) == tar) << program;
  }
}

TEST_F(CatTest, GivesAMemberByItsNameOrItsKey) {
  EXPECT_EQ(cat({.shard = made_.source(), .member = "key3.txt"}), "text of key3");
  EXPECT_TRUE(cat({.shard = made_.source(), .member = "key3.wav"}) == testing::made_wav(1600 + 3 * 160, 3));
  EXPECT_THROW(cat({.shard = made_.source(), .member = "key99"}), Error);
  EXPECT_THROW(cat({.shard = made_.source(), .member = "key3.flac"}), Error);
}

TEST_F(CatTest, WhatStandsBeforeDamageIsWritten) {
  const std::string tar = base::read_text(made_.source());
  std::string packed = codec::testing::through("gzip -c", tar);
  const std::string shard = folder_.write("cut", packed.substr(0, packed.size() / 2));
  base::File out = base::File::create(folder_.file("out"));
  EXPECT_THROW(run_cat({.shard = shard, .member = ""}, out, made_.workers(), made_.reporter()), Error);
  const std::string written = base::read_text(folder_.file("out"));
  EXPECT_GT(written.size(), tar.size() / 4);
  EXPECT_TRUE(tar.starts_with(written));
}

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
}  // namespace shardmill::convert
