#include "source/tables/table_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TsvFields, LoseTheQuotesThatWritersOfCsvPutAroundThem) {
  const auto fields = [](std::string_view record) { return fields_of_record(TableKind::tsv, record); };
  EXPECT_THAT(fields("a\t\"say \"\"yes\"\"\""), ::testing::ElementsAre("a", "say \"yes\""));
  EXPECT_THAT(fields("a\t\"all of it\""), ::testing::ElementsAre("a", "\"all of it\""));
  EXPECT_THAT(fields("\"a\"\t\"all of it\""), ::testing::ElementsAre("a", "all of it"));
  EXPECT_THAT(fields("a\t\"one\" \"\"two\"\"\""), ::testing::ElementsAre("a", "\"one\" \"\"two\"\"\""));
  EXPECT_THAT(fields("a\t\"\"\"\""), ::testing::ElementsAre("a", "\""));
  EXPECT_THAT(fields("a\t\"\""), ::testing::ElementsAre("a", "\"\""));
  EXPECT_THAT(fields("a\t\""), ::testing::ElementsAre("a", "\""));
}

TEST(CsvFields, CommasDivide) {
  EXPECT_THAT(csv_fields("a,b,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(csv_fields("a"), ElementsAre("a"));
  EXPECT_THAT(csv_fields("a,,c"), ElementsAre("a", "", "c"));
  EXPECT_THAT(csv_fields(",,"), ElementsAre("", "", ""));
  EXPECT_THAT(csv_fields(""), ElementsAre(""));
  EXPECT_THAT(csv_fields("a,"), ElementsAre("a", ""));
}

TEST(CsvFields, BlanksAroundAFieldAreNoPartOfIt) {
  EXPECT_THAT(csv_fields("  a b , c\t, \"d \" "), ElementsAre("a b", "c", "d "));
  EXPECT_THAT(csv_fields("   "), ElementsAre(""));
}

TEST(CsvFields, QuotesHoldWhatWouldDivide) {
  EXPECT_THAT(csv_fields(R"("a,b","c")"), ElementsAre("a,b", "c"));
  EXPECT_THAT(csv_fields("\"two\nlines\",x"), ElementsAre("two\nlines", "x"));
  EXPECT_THAT(csv_fields(R"("",x,"")"), ElementsAre("", "x", ""));
}

TEST(CsvFields, ADoubledQuoteIsOne) {
  EXPECT_THAT(csv_fields(R"("she said ""yes"".",x)"), ElementsAre(R"(she said "yes".)", "x"));
  EXPECT_THAT(csv_fields(R"("""")"), ElementsAre("\""));
  EXPECT_THAT(csv_fields(R"("""a""")"), ElementsAre("\"a\""));
}

TEST(CsvFields, AQuoteInsideAFieldIsALetter) {
  EXPECT_THAT(csv_fields(R"(5" pipe,x)"), ElementsAre("5\" pipe", "x"));
}

TEST(CsvFields, QuotesThatMakeNoSenseAreErrors) {
  const auto problem = [](const char* record) {
    try {
      csv_fields(record);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem(R"("a,b)"), HasSubstr("opened and not closed"));
  EXPECT_THAT(problem(R"(x,")"), HasSubstr("opened and not closed"));
  EXPECT_THAT(problem(R"("a"b,c)"), HasSubstr("closing quote"));
  EXPECT_THAT(problem(R"("a" "b")"), HasSubstr("closing quote"));
}

}  // namespace
}  // namespace shardmill::source
