#include "archive/tar_attributes.hpp"

#include <gtest/gtest.h>

#include <random>

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
}  // namespace shardmill::archive
