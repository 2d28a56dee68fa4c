#include "archive/tar_parts.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "archive/tar_building.hpp"

namespace shardmill::archive {

namespace {

/// A pax record: its length counts its own digits.
std::string record(const std::string& text) {
  std::size_t length = text.size() + 3;
  while (std::to_string(length).size() + text.size() + 2 != length) ++length;
  return std::to_string(length) + " " + text + "\n";
}

std::string_view problem(const std::string& records) {
  TarAttributes attributes;
  return read_pax(base::as_bytes(records), attributes);
}

TarAttributes attributes(const std::string& records) {
  TarAttributes read;
  EXPECT_EQ(read_pax(base::as_bytes(records), read), "") << records;
  return read;
}

TEST(Pax, GivesPathAndSizeWhateverElseStandsThere) {
  const auto read =
      attributes(record("mtime=1.5") + record("path=a b/\xe5\xa3\xb0=\n.wav") + record("size=8589934592"));
  EXPECT_EQ(read.path, "a b/\xe5\xa3\xb0=\n.wav");
  EXPECT_EQ(read.size, 8589934592u);
  EXPECT_FALSE(read.sparse);
  EXPECT_TRUE(attributes(record("GNU.sparse.major=1")).sparse);
}

TEST(Pax, ASparseFileHasItsOwnNameBesideTheMadeUpOne) {
  const auto read = attributes(record("GNU.sparse.major=1") + record("GNU.sparse.name=a/b.wav") +
                               record("path=GNUSparseFile.7/b.wav"));
  EXPECT_TRUE(read.sparse);
  EXPECT_EQ(read.sparse_name, "a/b.wav");
  EXPECT_EQ(read.path, "GNUSparseFile.7/b.wav");
  EXPECT_EQ(attributes(record("GNU.sparse.name=")).sparse_name, std::nullopt);
  EXPECT_EQ(attributes(record("GNU.sparse.size=9")).sparse_name, std::nullopt);
}

TEST(Pax, PathsOfEveryLengthReadBack) {
  for (std::size_t length = 1; length < 1100; ++length) {
    const std::string path(length, 'p');
    ASSERT_EQ(attributes(record("path=" + path) + record("size=7")).path, path);
  }
}

TEST(Pax, TheLastWordCountsAndAnEmptyOneTakesBack) {
  EXPECT_EQ(attributes(record("path=a") + record("path=b")).path, "b");
  EXPECT_EQ(attributes(record("path=a") + record("path=")).path, std::nullopt);
  EXPECT_EQ(attributes(record("size=1") + record("size=")).size, std::nullopt);
}

TEST(Pax, ZerosEndTheRecords) {
  EXPECT_EQ(attributes(record("path=a") + std::string("\0"
                                                      "11 path=xx\n",
                                                      12))
                .path,
            "a");
  EXPECT_EQ(attributes("").path, std::nullopt);
}

TEST(Pax, EveryCutInsideARecordIsSeen) {
  const std::string one = record("path=abc");
  const std::string both = one + record("size=12");
  for (std::size_t cut = 0; cut <= both.size(); ++cut) {
    const bool between_records = cut == 0 || cut == one.size() || cut == both.size();
    EXPECT_EQ(problem(both.substr(0, cut)).empty(), between_records) << cut;
  }
}

TEST(Pax, RecordsThatAreNoneAreRefused) {
  for (const char* bad : {"x", " ", "7 a=b\n", "6  a=b", "6 =ab\n", "8 abcd\n", "-6 a=b\n", "+6 a=b\n",
                          "0 \n", "3 \n", "99999999999999999999 a=b\n", "0x6 a=b\n"}) {
    EXPECT_NE(problem(bad), "") << bad;
  }
  for (const char* size : {"-1", "1x", "0x10", "99999999999999999999", "4611686018427387905", " 1"}) {
    EXPECT_NE(problem(record(std::string("size=") + size)), "") << size;
  }
  EXPECT_EQ(problem(record("size=4611686018427387904")), "");
}

TEST(Pax, RandomBytesNeverReadBeyondTheirEnd) {
  std::mt19937 random(3);
  const std::string letters = "0123456789 =\npath";
  for (int round = 0; round < 20000; ++round) {
    // Just as large as it is, so that a sanitizer sees a byte too far.
    std::vector<std::byte> bytes(random() % 24);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(letters[random() % letters.size()]);
    TarAttributes read;
    read_pax(bytes, read);
    if (read.path) {
      EXPECT_LE(read.path->size(), bytes.size());
    }
  }
}

TEST(LongName, EndsAtItsFirstZero) {
  TarAttributes read;
  read_long_name(base::as_bytes(std::string_view("name.wav\0junk", 13)), read);
  EXPECT_EQ(read.path, "name.wav");
  read_long_name(base::as_bytes(std::string_view("no zero")), read);
  EXPECT_EQ(read.path, "no zero");
}

}  // namespace

namespace {

TEST(TarTypesTest, MembersThatAreNoFiles) {
  TarHeader header;
  header.link_target = "x";
  struct Expected {
    char type;
    ShardProblem problem;
    const char* text;
    bool has_data;
  };
  for (const Expected& expected : {Expected{'1', ShardProblem::link, "a hard link to 'x'", false},
                                   Expected{'2', ShardProblem::link, "a symbolic link to 'x'", false},
                                   Expected{'3', ShardProblem::special_file, "a device", false},
                                   Expected{'5', ShardProblem::directory, "a directory", false},
                                   Expected{'D', ShardProblem::directory, "a directory", true},
                                   Expected{'S', ShardProblem::sparse_file, "a sparse file", true},
                                   Expected{'V', ShardProblem::special_file, "a member of type 'V'", true}}) {
    header.type = expected.type;
    const NoFile found = no_file(header);
    EXPECT_EQ(found.problem, expected.problem) << expected.type;
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.has_data, expected.has_data) << expected.type;
  }
}

TEST(TarTypesTest, NamesThatReadersStumbleOver) {
  for (const char* odd : {"", "/etc/x", "..", "../x", "a/..", "a/../b", "a\nb", "a\x7f"})
    EXPECT_TRUE(is_odd_name(odd)) << odd;
  for (const char* name : {"a", "a/b.wav", "...", "a..b", "..a/b", "\xe4\xbd\xa0"})
    EXPECT_FALSE(is_odd_name(name)) << name;
}

}  // namespace

namespace {

using Found = std::optional<std::size_t>;

Found search(const std::string& window, Found first_boundary = {}) {
  return find_header(base::as_bytes(window), first_boundary);
}

/// A header of before POSIX: no magic.
std::string old_header() {
  std::string block = header_block('0', "old.wav", "00000000010");
  block.replace(257, 8, 8, '\0');
  set_checksum(block.data());
  return block;
}

std::string noise(std::mt19937& random, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

TEST(FindHeader, FindsOneAtAnyPlaceInNoise) {
  std::mt19937 random(5);
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t at = 0; at < 1200; ++at) {
    const std::string window = noise(random, at) + header + noise(random, random() % 600);
    ASSERT_EQ(search(window), at);
    ASSERT_EQ(search(window.substr(0, at + 511)), std::nullopt) << "cut";
  }
}

TEST(FindHeader, GivesTheFirstOfTwo) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  EXPECT_EQ(search("xyz" + header + header), 3u);
}

TEST(FindHeader, AWordThatLooksLikeMagicHidesNothing) {
  // "ustar" in the data just before a header, and over and over again.
  const std::string header = header_block('0', "a.wav", "00000000010");
  std::string bait;
  while (bait.size() < 900) bait += "ustar";
  EXPECT_EQ(search(bait + header), bait.size());
}

TEST(FindHeader, AnOldHeaderIsFoundOnlyOnABlockBoundary) {
  const std::string window = std::string(700, 'x') + old_header();
  EXPECT_EQ(search(window), std::nullopt);
  EXPECT_EQ(search(window, 700 % 512), 700u);
  EXPECT_EQ(search(window, 700 % 512 + 1), std::nullopt);
  EXPECT_EQ(search(window, 700 + 512), std::nullopt);
}

TEST(FindHeader, AFlippedBitMakesAHeaderNone) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t bit = 0; bit < 8 * header.size(); ++bit) {
    std::string changed = header;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    if (changed.substr(148, 8) != header.substr(148, 8))
      continue;  // may be written otherwise: "0013" is "013"
    EXPECT_EQ(search(changed, 0), std::nullopt) << bit;
  }
}

TEST(FindHeader, TypesNamesAndSizesMustMakeSense) {
  EXPECT_EQ(search(header_block('5', "folder/", "00000000000")), 0u);
  EXPECT_EQ(search(header_block('x', "pax", "00000000100")), 0u);
  EXPECT_EQ(search(header_block('Q', "a.wav", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "a.wav", "0000000009x")), std::nullopt);
}

TEST(FindHeader, ShortWindowsHoldNone) {
  for (std::size_t bytes = 0; bytes < 512; ++bytes)
    EXPECT_EQ(search(std::string(bytes, '\0'), 0), std::nullopt);
  EXPECT_EQ(search(std::string(2048, '\0'), 0), std::nullopt);
}

}  // namespace

namespace {

TEST(TarEndTest, NothingIsSaidOfATarThatHasNotEnded) {
  EXPECT_FALSE(TarEnd().finding(10'240).has_value());
}

TEST(TarEndTest, ZerosThatFillUpARecordAndMore) {
  TarEnd end;
  end.begin(1'024);
  end.add(std::vector<std::byte>(8'192), 2'048);
  EXPECT_FALSE(end.finding(10'240).has_value());
  const auto found = end.finding(1 << 22);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::zeros_after_end);
  EXPECT_EQ(found->offset, 1'024u);
  EXPECT_EQ(found->bytes, (1u << 22) - 1'024);
}

/// Where bytes are missing in a member, it reaches into the padding.
TEST(TarEndTest, ABlockThatIsNotWhole) {
  TarEnd end;
  end.begin(1'024);
  end.add(std::vector<std::byte>(100), 2'048);
  const auto found = end.finding(2'148);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::zeros_after_end);
  EXPECT_EQ(found->text,
            "its 2148 bytes are no multiple of 512: bytes are missing, in its members or at its end");
}

TEST(TarEndTest, OtherBytes) {
  TarEnd end;
  end.begin(0);
  end.add(std::vector<std::byte>(512), 1'024);
  end.add(std::vector{std::byte{0}, std::byte{7}}, 1'536);
  end.add(std::vector{std::byte{8}}, 1'538);
  const auto found = end.finding(1'539);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::data_after_end);
  EXPECT_EQ(found->offset, 1'537u);
  EXPECT_EQ(found->bytes, 2u);
  EXPECT_EQ(found->text, "2 bytes follow the end of the archive, where readers stop");
}

}  // namespace

}  // namespace shardmill::archive
