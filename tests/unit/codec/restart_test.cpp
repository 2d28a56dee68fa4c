// A reader that begins at the restart point of a piece must give the same as a reader from the start, from
// there on.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using shardmill::testing::TemporaryFolder;
using testing::noise;
using testing::text_like;
using testing::through;

/// What a piece gave: its plain bytes, then what went wrong.
struct Given {
  std::string plain;
  std::string problem;
  std::uint64_t compressed_bytes = 0;
  RestartPoint restart_point;

  bool operator==(const Given&) const = default;
};

std::vector<Given> read_from(const std::string& path, const RestartPoint& from) {
  base::File file = base::File::open_read(path);
  const auto reader = open(file, {}, from);
  std::vector<Given> all;
  while (const auto piece = reader->next()) {
    Given given{.plain = {},
                .problem = {},
                .compressed_bytes = piece->compressed_bytes(),
                .restart_point = piece->restart_point()};
    piece->prepare();
    try {
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        given.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    } catch (const Error& error) {
      given.problem = error.what();
    }
    all.push_back(std::move(given));
  }
  return all;
}

/// Returns how many pieces one can begin at.
std::size_t expect_same_where_possible(const std::string& file) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", file);
  const std::vector<Given> all = read_from(path, {});
  std::size_t possible = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].restart_point.empty()) continue;
    ++possible;
    const std::vector<Given> rest = read_from(path, all[i].restart_point);
    EXPECT_TRUE(std::equal(all.begin() + static_cast<std::ptrdiff_t>(i), all.end(), rest.begin(), rest.end()))
        << "from piece " << i;
  }
  return possible;
}

/// Returns how many pieces there were.
std::size_t expect_same_from_everywhere(const std::string& file) {
  const std::size_t possible = expect_same_where_possible(file);
  const TemporaryFolder folder;
  EXPECT_EQ(possible, read_from(folder.write("file", file), {}).size());
  return possible;
}

TEST(Restart, PlainFiles) {
  EXPECT_EQ(expect_same_from_everywhere(noise(3'500'000)), 4U);
}

TEST(Restart, Bzip2) {
  const std::string plain = text_like(700'000) + noise(300'000) + std::string(3'000'000, 'q');
  for (const char* const program :
       {"bzip2 -1 -c", "bzip2 -9 -c", "lbzip2 -1 -n2 -c", "pbzip2 -1 -b1 -p2 -c"}) {
    EXPECT_GE(expect_same_from_everywhere(through(program, plain)), 2U) << program;
  }
  const std::string two = through("bzip2 -1 -c", plain) + through("bzip2 -2 -c", plain);
  EXPECT_GE(expect_same_from_everywhere(two + "no bzip2 at all, and long enough to be a piece"), 8U);
}

TEST(Restart, DamagedBzip2) {
  std::string file = through("bzip2 -1 -c", text_like(500'000)) + through("bzip2 -1 -c", noise(400'000));
  for (const double place : {0.1, 0.5, 0.9}) {
    std::string damaged = file;
    damaged[static_cast<std::size_t>(place * static_cast<double>(file.size()))] ^= 0x10;
    expect_same_from_everywhere(damaged);
  }
  for (const double length : {0.3, 0.999}) {
    expect_same_from_everywhere(
        file.substr(0, static_cast<std::size_t>(length * static_cast<double>(file.size()))));
  }
  // A stretch without any block that is longer than a block can be, so it is cut by size.
  file.insert(file.size() / 2, std::string(6'000'000, 'x'));
  EXPECT_GE(expect_same_from_everywhere(file), 8U);
}

TEST(Restart, Gzip) {
  const std::string plain =
      noise(1'500'000) + text_like(6'000'000) + std::string(9'000'000, 'q') + noise(900'000, 2);
  for (const char* const program : {"gzip -1c", "pigz -ic", "bgzip -c"}) {
    EXPECT_GE(expect_same_from_everywhere(through(program, plain)), 3U) << program;
  }
}

TEST(Restart, SmallFrames) {
  const std::string plain = noise(2'500'000) + text_like(6'000'000) + noise(900'000, 2);
  const std::string frames = testing::encode({.codec = Codec::zstd, .seekable = true}, plain);
  EXPECT_GE(expect_same_from_everywhere(frames), 4U);
  EXPECT_GE(expect_same_where_possible(frames.substr(0, 1'500'000) + "damage" + frames.substr(1'500'000)),
            3U);
  // In front of what must be decoded in order.
  const std::string large = through("zstd -qc", noise(5'000'000, 3));
  EXPECT_GE(expect_same_where_possible(frames + large), 4U);
}

TEST(Restart, OthersBeginAtTheStartOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", through("xz -1c", text_like(2'000'000)));
  for (const Given& given : read_from(path, {})) EXPECT_TRUE(given.restart_point.empty());
}

TEST(Restart, XzBlocks) {
  const std::string two = through("xz -0c -T2 --block-size=300000", text_like(1'000'000));
  EXPECT_EQ(expect_same_from_everywhere(two), 4U);
  EXPECT_EQ(expect_same_from_everywhere(two + two), 8U);
  std::string damaged = two;
  damaged[damaged.size() / 2] ^= 0x10;
  EXPECT_EQ(expect_same_from_everywhere(damaged), 4U);
}

}  // namespace
}  // namespace shardmill::codec
