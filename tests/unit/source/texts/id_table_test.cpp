#include "source/texts/id_table.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(IdTable, RowsAsTheyStandAndById) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  const IdTable table(folder.write("text", "b  two words \n\na\t你好\r\nempty\n"), builder);
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.rows()[0].id, "b");
  EXPECT_EQ(table.value("b"), "two words");
  EXPECT_EQ(table.value("a"), "你好");
  EXPECT_EQ(table.find("a")->line, 3u);
  EXPECT_EQ(table.value("empty"), "");
  EXPECT_FALSE(table.value("c"));
  EXPECT_EQ(table.at_row(table.rows()[1], "is odd").what(), folder.file("text") + ": line 3: is odd");
}

TEST(IdTable, ATableThatNeedNotBeThere) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  EXPECT_TRUE(IdTable::if_there(folder.file("none"), builder).rows().empty());
  EXPECT_EQ(IdTable::if_there(folder.write("t", "a b\n"), builder).value("a"), "b");
  EXPECT_THROW(IdTable(folder.file("none"), builder), Error);
}

TEST(IdTable, AnIdThatComesTwiceIsAnErrorThatNamesBothLines) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  try {
    IdTable(folder.write("t", "a 1\nb 2\na 3\n"), builder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder.file("t") + ": line 3: 'a' stands in line 1 already");
  }
}

}  // namespace
}  // namespace shardmill::source
