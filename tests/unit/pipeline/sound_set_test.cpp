#include "pipeline/sound_set.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

base::Xxh128 sound(int number) {
  return base::xxh3_128(base::as_bytes("sound " + std::to_string(number)));
}

class SoundSets : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("sounds");
};

TEST_F(SoundSets, KnowTheFirstNameOfASound) {
  SoundSet set(path_);
  EXPECT_EQ(set.find(sound(1)), std::nullopt);
  set.insert(sound(1), "one");
  set.insert(sound(1), "uno");
  set.insert(sound(2), "");
  EXPECT_EQ(set.find(sound(1)), "one");
  EXPECT_EQ(set.find(sound(2)), "");
  EXPECT_EQ(set.size(), 2U);
}

TEST_F(SoundSets, SoundsWhoseHashesBeginAlikeAreDifferent) {
  base::Xxh128 one;
  base::Xxh128 other;
  other.bytes.back() = std::byte{1};
  SoundSet set(path_);
  set.insert(one, "zeros");
  EXPECT_EQ(set.find(other), std::nullopt);
  set.insert(other, "other");
  EXPECT_EQ(set.find(one), "zeros");
  EXPECT_EQ(set.find(other), "other");
}

TEST_F(SoundSets, GoOnFromAMark) {
  constexpr int kMany = 20'000;
  FileMark mark;
  {
    SoundSet set(path_);
    for (int i = 0; i < kMany; ++i) set.insert(sound(i), std::string(static_cast<std::size_t>(i % 90), 'n'));
    set.insert(sound(kMany), std::string(3 << 20, 'l'));  // longer than what is read at a time
    set.sync();
    mark = set.mark();
    set.insert(sound(kMany + 1), "lost");
    set.sync();
  }
  SoundSet set(path_);
  set.restore(mark);
  EXPECT_EQ(set.size(), kMany + 1U);
  for (int i = 0; i < kMany; i += 997)
    EXPECT_EQ(set.find(sound(i)), std::string(static_cast<std::size_t>(i % 90), 'n'));
  EXPECT_EQ(set.find(sound(kMany))->size(), 3U << 20);
  EXPECT_EQ(set.find(sound(kMany + 1)), std::nullopt);
  set.insert(sound(kMany + 1), "again");
  EXPECT_EQ(set.find(sound(kMany + 1)), "again");
}

TEST_F(SoundSets, SeeThatTheFileChanged) {
  FileMark mark;
  {
    SoundSet set(path_);
    set.insert(sound(1), "one");
    set.sync();
    mark = set.mark();
  }
  base::File::open_update(path_).write_at(base::as_bytes("x"), 20);
  SoundSet set(path_);
  EXPECT_THROW(set.restore(mark), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
