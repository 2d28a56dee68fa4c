#include "shard/plain_walk.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::shard {
namespace {

class PlainWalkTest : public ::testing::Test {
 protected:
  /// "key(damage):ext@place+size,... !finding "
  std::string walked(const std::string& tar, std::uint64_t limit = 1 << 20) {
    const base::File file = base::File::open_read(folder_.write("a.tar", tar));
    PlainWalk walk(file, KeyRule::wenet, limit);
    std::string text;
    while (const auto item = walk.next()) {
      if (const auto* finding = std::get_if<ShardFinding>(&*item)) {
        text += "!" + finding->name + " ";
        continue;
      }
      const auto& [grouped, sizes] = std::get<FoundSample>(*item);
      text += grouped.sample.key + (grouped.damage.empty() ? "" : "(" + grouped.damage + ")") + ":";
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Member& member = grouped.sample.members[i];
        text += fmt::format("{}@{}+{},", member.extension, member.tar_offset, sizes[i]);
        EXPECT_TRUE(member.bytes.empty());
      }
      text += " ";
    }
    return text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PlainWalkTest, FindsWhereMembersAre) {
  EXPECT_EQ(walked(archive::make_tar({{"a.txt", "hi"}, {"a.wav", std::string(600, 'w')}, {"b.wav", ""}})),
            "a:txt@512+2,wav@1536+600, b:wav@3072+0, ");
}

TEST_F(PlainWalkTest, MembersThatBelongToNoSampleAreFindings) {
  EXPECT_EQ(walked(archive::make_tar({{"x", "no key"}, {"a.txt", "hi"}, {"y", ""}, {"a.wav", "w"}})),
            "!x !y a:txt@1536+2,wav@3072+1, ");
}

TEST_F(PlainWalkTest, LargeMembersAreLeftOut) {
  EXPECT_EQ(walked(archive::make_tar({{"a.wav", std::string(600, 'w')}, {"b.wav", "w"}}), 512),
            "!a.wav b:wav@2048+1, ");
}

/// A file with holes, as tar -S --format=pax stores it: under a name that tar made up.
std::string sparse_file(const std::string& name) {
  const std::string text = " GNU.sparse.name=" + name + "\n";
  return archive::entry('x', "PaxHeaders/x", std::to_string(text.size() + 2) + text) +
         archive::entry('0', "GNUSparseFile.7/x.wav", "1\n0\n1\nw");
}

TEST_F(PlainWalkTest, ASparseFileIsLostToTheSampleThatItsOwnNameTells) {
  const std::string rest = archive::make_tar({{"b.wav", "w"}});
  EXPECT_EQ(walked(archive::entry('0', "a.txt", "hi") + sparse_file("a.wav") + rest),
            "a(its member 'a.wav' is lost: a sparse file):txt@512+2, b:wav@3584+1, ");
  EXPECT_EQ(walked(sparse_file("a.wav") + archive::entry('0', "a.txt", "hi") + rest),
            "!a.wav a(its member 'a.wav' is lost: a sparse file):txt@2560+2, b:wav@3584+1, ");
  EXPECT_EQ(walked(archive::entry('0', "a.txt", "hi") + sparse_file("b.txt") + rest),
            "a:txt@512+2, !b.txt b(its member 'b.txt' is lost: a sparse file):wav@3584+1, ");
  EXPECT_EQ(walked(archive::entry('0', "a.txt", "hi") + sparse_file("notes") + rest),
            "!notes a:txt@512+2, b:wav@3584+1, ");
}

TEST_F(PlainWalkTest, ATarThatEndsInAMember) {
  const std::string tar = archive::make_tar({{"a.wav", "w"}, {"b.wav", std::string(600, 'w')}});
  EXPECT_EQ(walked(tar.substr(0, 1700)), "a:wav@512+1, !b.wav ");
}

}  // namespace
}  // namespace shardmill::shard
