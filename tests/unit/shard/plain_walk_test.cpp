#include "shard/plain_walk.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::shard {

namespace {

using testing::TemporaryFolder;
using Files = std::vector<std::pair<std::string, std::string>>;

ShardLayout layout(const std::string& tar) {
  const TemporaryFolder folder;
  return layout_of(base::File::open_read(folder.write("a.tar", tar)));
}

TEST(Layout, OffsetsAreThoseOfPythonsTarfile) {
  const TemporaryFolder folder;
  const Files files{{"a.txt", "one"},
                    {"a.WAV", std::string(700, 'a')},
                    {std::string(150, 'n') + ".wav", std::string(512, 'b')},
                    {"d/b.json", ""},
                    {"d/b.tar.gz", "x"}};
  const std::string path = folder.write("a.tar", archive::make_tar(files));
  std::string ours;
  for (const ShardLayout::Sample& sample : layout_of(base::File::open_read(path)).samples) {
    for (const ShardLayout::Member& member : sample.members) {
      ours += member.name + " " + std::to_string(member.offset) + " " + std::to_string(member.bytes) + "\n";
    }
  }
  const std::string script = folder.write(
      "read.py",
      "import sys, tarfile\nfor m in tarfile.open(sys.argv[1]): print(m.name, m.offset_data, m.size)\n");
  EXPECT_EQ(ours, testing::command_output("/usr/bin/python3 " + script + " " + path));
}

TEST(Layout, NeighboursWithTheSameNameUpToTheFirstDotAreASample) {
  const ShardLayout read = layout(archive::make_tar(
      {{"a.txt", ""}, {"a.seg.wav", ""}, {"b.wav", ""}, {"a.wav", ""}, {"d/a.wav", ""}, {"e.f/a.b.c", ""}}));
  std::string samples;
  for (const ShardLayout::Sample& sample : read.samples) {
    for (const ShardLayout::Member& member : sample.members) samples += member.extension + ",";
    samples += " ";
  }
  EXPECT_EQ(samples, "txt,seg.wav, wav, wav, wav, b.c, ");
  EXPECT_EQ(read.samples[1].header_offset, 1024u);
  EXPECT_EQ(read.end_offset, 6 * 512u);
}

TEST(Layout, NamesThatLoadersReadInDifferentWaysAreRefused) {
  for (const char* name :
       {"noextension", ".hidden", "d/.x", "a b.wav", "a\t.wav", "__meta__.json", "d.e/f"}) {
    EXPECT_THROW(layout(archive::make_tar({{name, "x"}})), Error) << name;
  }
}

TEST(Layout, EveryCutThatTakesBytesOfAMemberIsRefused) {
  const std::string tar = archive::make_tar({{"a.txt", "one"}, {"a.wav", std::string(700, 'w')}});
  const TemporaryFolder folder;
  const std::size_t data_end = 512 + 512 + 512 + 700;
  for (std::size_t cut = 1; cut < data_end; cut += cut < 1020 || cut > 1540 ? 7 : 1) {
    // Between two members, or in the padding of one, nothing shows that something is missing.
    if (cut > 512 + 3 && cut <= 1024) continue;
    const auto path = folder.write("a.tar", tar.substr(0, cut));
    EXPECT_THROW(layout_of(base::File::open_read(path)), Error) << cut;
  }
  EXPECT_EQ(layout(tar).samples.size(), 1u);
}

}  // namespace

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
