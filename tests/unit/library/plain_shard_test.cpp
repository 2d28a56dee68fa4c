#include "shardmill/plain_shard.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "shardmill/error.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill {
namespace {

class Losses final : public Observer {
 public:
  void warn(const Error& warning) override { add("warning", warning); }
  void fail(const Error& error) override { add("lost", error); }

  std::string text;

 private:
  void add(const char* kind, const Error& error) { text += std::string(kind) + " " + error.what() + "\n"; }
};

void add_member(std::string& text, const std::string& extension, const Bytes& bytes) {
  text += " " + extension + "=" + archive::text(bytes);
}

/// What both functions under test should give of a file, as one text.
std::string by_callback(const std::string& path, const ReadOptions& options) {
  Losses losses;
  std::string text;
  try {
    read_shard(
        path, options,
        [&](Sample&& sample) {
          text += sample.key;
          for (const Member& member : sample.members) add_member(text, member.extension, member.bytes);
          text += "\n";
          return true;
        },
        losses);
  } catch (const Error& error) {
    text += error.what();
  }
  return text + losses.text;
}

std::string by_places(const std::string& path, const ReadOptions& options) {
  Losses losses;
  std::string text;
  try {
    PlainShard shard(path, options, losses);
    while (const auto sample = shard.next()) {
      text += sample->key;
      for (const MemberPlace& member : sample->members) {
        Bytes bytes(static_cast<std::size_t>(member.bytes));
        shard.read(member, bytes);
        add_member(text, member.extension, bytes);
      }
      text += "\n";
    }
  } catch (const Error& error) {
    text += error.what();
  }
  return text + losses.text;
}

class PlainShardTest : public ::testing::Test {
 protected:
  void expect_the_same(const std::string& tar, const std::string& what) {
    const std::string path = folder_.write("a.tar", tar);
    for (const bool skip_damage : {false, true}) {
      const ReadOptions options{.skip_damage = skip_damage, .limits = {.threads = 1}};
      EXPECT_EQ(by_places(path, options), by_callback(path, options)) << what;
    }
  }

  testing::TemporaryFolder folder_;
  std::string tar_ = archive::make_tar({{"a/k0.txt", "text"},
                                        {"a/k0.wav", std::string(700, 'w')},
                                        {std::string(120, 'k') + ".txt", ""},
                                        {std::string(120, 'k') + ".wav", std::string(512, 'x')},
                                        {"none", "no key"},
                                        {"k2.wav", "RIFF"},
                                        {"k2.wav", "twice"}});
};

TEST_F(PlainShardTest, GivesWhatReadShardGives) {
  const std::string all = by_places(folder_.write("a.tar", tar_), {});
  EXPECT_NE(all.find("a/k0 txt=text wav=www"), std::string::npos) << all;
  expect_the_same(tar_, "whole");
  expect_the_same(tar_ + tar_, "two tars");
  expect_the_same(tar_ + std::string(200'000, '\0'), "many zeros behind it");
  expect_the_same("no tar at all", "text");
}

TEST_F(PlainShardTest, GivesWhatReadShardGivesOfACutTar) {
  for (std::size_t bytes = 1; bytes < tar_.size(); bytes += 97)
    expect_the_same(tar_.substr(0, bytes), "cut at " + std::to_string(bytes));
}

TEST_F(PlainShardTest, GivesWhatReadShardGivesOfADamagedTar) {
  for (std::size_t at = 0; at < tar_.size(); at += 131) {
    std::string damaged = tar_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    expect_the_same(damaged, "damaged at " + std::to_string(at));
  }
}

TEST_F(PlainShardTest, LeavesOutMembersAboveTheLimitAndReadsBehindThem) {
  // The file is sparse: 300 MiB of it are a hole.
  const std::uint64_t bytes = std::uint64_t{300} << 20;
  Bytes begin;
  archive::append_header(begin, "a.wav", bytes);
  const std::string path = folder_.write("a.tar", archive::text(begin));
  base::File file = base::File::open_update(path);
  file.write_at(base::as_bytes(archive::make_tar({{"b.wav", "b"}})), begin.size() + bytes);
  const ReadOptions options{.skip_damage = true, .limits = {.threads = 1}};
  const std::string text = by_places(path, options);
  EXPECT_TRUE(text.starts_with("b wav=b\n")) << text;
  EXPECT_NE(text.find("above the bound"), std::string::npos) << text;
}

TEST_F(PlainShardTest, AFileThatChangesIsAnError) {
  const std::string path = folder_.write("a.tar", tar_);
  Observer silent;
  PlainShard shard(path, {}, silent);
  const auto sample = shard.next();
  folder_.write("a.tar", "");
  Bytes bytes(static_cast<std::size_t>(sample->members[1].bytes));
  EXPECT_THROW(shard.read(sample->members[1], bytes), Error);
  EXPECT_THROW(while (shard.next()){}, Error);
}

TEST_F(PlainShardTest, IsPlainUnlessTheFirstBytesAreThoseOfACompression) {
  EXPECT_TRUE(is_plain_shard(folder_.write("a.tar", tar_)));
  EXPECT_FALSE(is_plain_shard(folder_.write("a.tar.gz", "\x1f\x8b\x08 and more of it")));
  EXPECT_THROW(is_plain_shard(folder_.file("nothing.tar")), Error);
}

}  // namespace
}  // namespace shardmill
