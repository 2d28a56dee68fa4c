#include "base/io/line_reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(LineReader, EmptyLinesAndAnUnendedLastLine) {
  const TemporaryFolder folder;
  LineReader lines(folder.write("a", "one\n\nthree\r\nfour"));
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "one");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "three\r");
  EXPECT_TRUE(lines.line_was_ended());
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "four");
  EXPECT_FALSE(lines.line_was_ended());
  EXPECT_EQ(lines.line_number(), 4u);
  EXPECT_FALSE(lines.next(line));
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, AnEmptyFileHasNoLines) {
  const TemporaryFolder folder;
  LineReader lines(folder.write("a", ""));
  std::string_view line;
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, LinesOfAllLengthsAcrossTheBuffersEdges) {
  std::mt19937 random(3);
  std::vector<std::string> expected;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::size_t length = i % 50 == 0 ? 300'000 + random() % 300'000 : random() % 5000;
    expected.emplace_back(length, static_cast<char>('a' + i % 26));
    text += expected.back() + '\n';
  }
  const TemporaryFolder folder;
  LineReader lines(folder.write("a", text));
  std::string_view line;
  for (const std::string& wanted : expected) {
    ASSERT_TRUE(lines.next(line));
    ASSERT_EQ(line, wanted);
  }
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, ALineWithoutEndIsRefusedBeforeMemoryRunsOut) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "first\n");
  std::filesystem::resize_file(path, kLongestLine + 1'000'000);
  LineReader lines(path);
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  try {
    lines.next(line);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "line 2: is longer than 67108864 bytes");
  }
  EXPECT_FALSE(lines.next(line));
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, GoesOnAfterALineThatIsTooLong) {
  const TemporaryFolder folder;
  const std::string longest(kLongestLine, 'x');
  for (const std::size_t more : {1u, 400'000u}) {
    LineReader lines(folder.write("a", longest + std::string(more, 'y') + "\nafter\n" + longest + "\nlast"));
    std::string_view line;
    EXPECT_THROW(lines.next(line), Error);
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, "after");
    EXPECT_EQ(lines.line_number(), 2u);
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line.size(), kLongestLine);
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(line, "last");
    EXPECT_FALSE(lines.next(line));
  }
}

TEST(LineReader, ReadersOfOneFileDoNotMoveEachOther) {
  const TemporaryFolder folder;
  const std::string longer(100'000, 'x');
  const File file = File::open_read(folder.write("a", "head\n" + longer + "\nlast\n"));
  LineReader lines(file, 0);
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "head");
  LineReader others(file, 5);
  ASSERT_TRUE(others.next(line));
  EXPECT_EQ(line, longer);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, longer);
  ASSERT_TRUE(others.next(line));
  EXPECT_EQ(line, "last");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(lines.next(line));
  EXPECT_FALSE(others.next(line));
}

}  // namespace
}  // namespace shardmill::base
