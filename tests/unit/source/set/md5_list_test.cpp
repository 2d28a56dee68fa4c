#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "source/set/given_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

constexpr const char* kOne = "0123456789abcdef0123456789abcdef";
constexpr const char* kTwo = "fedcba9876543210fedcba9876543210";

TEST(IsMd5, ThirtyTwoDigits) {
  EXPECT_TRUE(is_md5(kOne));
  EXPECT_TRUE(is_md5("0123456789ABCDEF0123456789abcdef"));
  EXPECT_FALSE(is_md5(""));
  EXPECT_FALSE(is_md5(std::string(31, '0')));
  EXPECT_FALSE(is_md5(std::string(33, '0')));
  EXPECT_FALSE(is_md5(std::string(31, '0') + "g"));
}

class Md5BesideTest : public ::testing::Test {
 protected:
  /// What is said of d/x.tgz where the list is this one.
  std::string beside(const std::string& list, const std::string& content) {
    folder_.write("d/" + list, content);
    const std::string found = md5_beside(folder_.file("d/x.tgz"));
    std::filesystem::remove(folder_.file("d/" + list));
    return found;
  }
  static std::string digits(const char* text) { return text; }

  shardmill::testing::TemporaryFolder folder_;
};

TEST_F(Md5BesideTest, LinesOfMd5sum) {
  const std::string other = digits(kTwo) + "  y.tgz\n";
  EXPECT_EQ(beside("md5sum.txt", other + kOne + "  x.tgz\n"), kOne);
  EXPECT_EQ(beside("md5sum.txt", other + kOne + " *x.tgz\r\n"), kOne);
  EXPECT_EQ(beside("md5sum.txt", "# sums\n\n" + digits(kOne) + "  ./x.tgz"), kOne);
  EXPECT_EQ(beside("md5sum.txt", "0123456789ABCDEF0123456789ABCDEF  x.tgz\n"), kOne);
  EXPECT_EQ(beside("x.tgz.md5", digits(kOne) + "  x.tgz\n"), kOne);
  EXPECT_EQ(beside("x.tgz.md5", digits(kOne) + "\n"), kOne);
}

TEST_F(Md5BesideTest, NothingThatIsSaidOfAnotherFile) {
  EXPECT_EQ(beside("md5sum.txt", ""), "");
  EXPECT_EQ(beside("md5sum.txt", digits(kOne) + "  xx.tgz\n"), "");
  EXPECT_EQ(beside("md5sum.txt", digits(kOne) + "  d/x.tgz\n"), "");
  EXPECT_EQ(beside("md5sum.txt", digits(kOne) + "\n"), "");
  EXPECT_EQ(beside("md5sum.txt", digits(kOne).substr(1) + "  x.tgz\n"), "");
  EXPECT_EQ(beside("y.tgz.md5", digits(kOne) + "\n"), "");
  // A sum of another kind, of twice the length.
  EXPECT_EQ(beside("x.tgz.md5", digits(kOne) + kTwo + "  x.tgz\n"), "");
}

TEST_F(Md5BesideTest, WhatItsOwnListDoesNotSay) {
  folder_.write("d/md5sum.txt", digits(kTwo) + "  x.tgz\n");
  EXPECT_EQ(beside("x.tgz.md5", digits(kOne) + "  other.tgz\n"), kTwo);
}

TEST_F(Md5BesideTest, TwoSumsInOneList) {
  EXPECT_EQ(beside("md5sum.txt", digits(kOne) + "  x.tgz\n" + kOne + "  ./x.tgz\n"), kOne);
  try {
    beside("MD5SUMS", digits(kOne) + "  x.tgz\n\n" + kTwo + "  x.tgz\n");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "line 3: gives x.tgz the MD5 " + digits(kTwo) + ", and line 1 gives it " + kOne);
    EXPECT_EQ(error.where().path, folder_.file("d/MD5SUMS"));
  }
}

TEST_F(Md5BesideTest, TwoListsThatSayDifferentThings) {
  folder_.write("d/x.tgz.md5", digits(kOne) + "  x.tgz\n");
  EXPECT_EQ(beside("md5sum.txt", digits(kOne) + "  x.tgz\n"), kOne);
  try {
    beside("md5sum.txt", digits(kTwo) + "  y.tgz\n" + kTwo + "  x.tgz\n");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "line 2: gives x.tgz the MD5 " + digits(kTwo) + ", and " +
                                   folder_.file("d/x.tgz.md5") + ", line 1, gives it " + kOne);
    EXPECT_EQ(error.where().path, folder_.file("d/md5sum.txt"));
  }
}

TEST_F(Md5BesideTest, ListsThatAreNone) {
  const auto lists = [&](const std::string& content) {
    folder_.write("d/md5sum.txt", content);
    return lists_without_md5(folder_.file("d/x.tgz")).size();
  };
  EXPECT_EQ(lists("<html>not found</html>\n"), 1u);
  EXPECT_EQ(lists(""), 1u);
  EXPECT_EQ(lists(digits(kOne) + kTwo + "  x.tgz\n"), 1u);
  EXPECT_EQ(lists("# sums\n" + digits(kOne) + "  other.tgz\r\n"), 0u);
  EXPECT_EQ(lists("MD5 (y.tgz) = " + digits(kTwo)), 0u);
}

TEST_F(Md5BesideTest, FoldersOfThatNameAreNoLists) {
  std::filesystem::create_directories(folder_.file("d/x.tgz.md5"));
  EXPECT_EQ(md5_beside(folder_.file("d/x.tgz")), "");
  EXPECT_EQ(md5_beside(folder_.file("none/x.tgz")), "");
}

TEST_F(Md5BesideTest, LinesOfBsd) {
  EXPECT_EQ(beside("md5sum.txt", "MD5 (y.tgz) = " + digits(kTwo) + "\nMD5 (x.tgz) = " + digits(kOne) + "\n"),
            kOne);
  EXPECT_EQ(beside("MD5SUMS", "MD5 (./x.tgz) = " + digits(kOne) + "\r\n"), kOne);
  EXPECT_EQ(beside("md5sums.txt", "MD5 (x.tgz) = 12\nMD5 (x.tgz = " + digits(kOne) + "\nMD5 () = \n"), "");
  EXPECT_EQ(beside("x.tgz.md5", "SHA1 (x.tgz) = " + digits(kOne) + "\n"), "");
}

}  // namespace
}  // namespace shardmill::source
