
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "archive/recording_sink.hpp"
#include "archive/tar_header.hpp"
#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::archive {
namespace {

class TarWalkTest : public ::testing::Test {
 protected:
  TarWalk walk(const Bytes& tar) {
    const std::string path = folder_.file("walk.tar");
    base::File file = base::File::create(path);
    file.write(tar);
    file.close();
    return walk_tar(base::File::open_read(path));
  }

  testing::TemporaryFolder folder_;
};

void append_member(Bytes& tar, const std::string& name, std::size_t size) {
  append_header(tar, name, size);
  tar.insert(tar.end(), size, std::byte{'x'});
  append_padding(tar, size);
}

TEST_F(TarWalkTest, FindsWhatTheParserFinds) {
  std::mt19937 random(7);
  Bytes tar;
  for (int i = 0; i < 300; ++i) {
    const std::size_t size = i % 3 == 0 ? random() % 40 : random() % 9000;
    append_member(tar, std::string(1 + random() % 240, 'n') + std::to_string(i) + ".wav", size);
  }
  const std::uint64_t end = tar.size();
  append_end(tar);

  RecordingSink sink;
  TarParser parser(sink, tar.size());
  parser.feed(tar);
  parser.finish();
  const TarWalk found = walk(tar);
  EXPECT_EQ(found.end_offset, end);
  ASSERT_EQ(found.files.size(), sink.members.size());
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    EXPECT_EQ(found.files[i].name, sink.members[i].name);
    EXPECT_EQ(found.files[i].header_offset, sink.members[i].header_offset);
    EXPECT_EQ(found.files[i].offset, sink.members[i].tar_offset);
    EXPECT_EQ(found.files[i].bytes, sink.members[i].bytes.size());
    EXPECT_EQ(found.files[i].is_name_in_header, found.files[i].name.size() <= 100);
  }
}

TEST_F(TarWalkTest, AnEmptyFileAndEndBlocksAloneHoldNothing) {
  EXPECT_TRUE(walk({}).files.empty());
  Bytes end;
  append_end(end);
  EXPECT_TRUE(walk(end).files.empty());
  EXPECT_EQ(walk(end).end_offset, 0U);
}

TEST_F(TarWalkTest, EveryCutIsAnErrorOrLeavesWholeMembers) {
  Bytes tar;
  append_member(tar, "a.txt", 5);
  append_member(tar, std::string(300, 'b') + ".wav", 700);
  for (std::size_t size = 0; size < tar.size(); size += 64) {
    const Bytes cut(tar.begin(), tar.begin() + static_cast<std::ptrdiff_t>(size));
    try {
      const TarWalk found = walk(cut);
      for (const TarWalk::Place& file : found.files) EXPECT_LE(file.offset + file.bytes, size);
    } catch (const Error& error) {
      EXPECT_NE(error.where().offset, std::nullopt) << error.what();
    }
  }
}

TEST_F(TarWalkTest, FlippedBitsOfAHeaderAreAnErrorOrLeaveThePlaces) {
  Bytes tar;
  append_member(tar, "a.txt", 5);
  append_end(tar);
  for (std::size_t bit = 0; bit < 8 * kTarBlockBytes; bit += 11) {
    Bytes flipped = tar;
    flipped[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    try {
      const TarWalk found = walk(flipped);
      ASSERT_EQ(found.files.size(), 1U) << bit;
      EXPECT_EQ(found.files.front().name, "a.txt") << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.where().offset, 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace shardmill::archive
