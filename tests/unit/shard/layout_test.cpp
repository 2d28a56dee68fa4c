#include "shard/layout.hpp"

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
}  // namespace shardmill::shard
