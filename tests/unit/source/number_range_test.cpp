#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;

TEST(NumberRange, ShellsAndNemoWriteItDifferently) {
  EXPECT_THAT(expand_number_ranges("a/x_{8..10}.tar"), ElementsAre("a/x_8.tar", "a/x_9.tar", "a/x_10.tar"));
  EXPECT_THAT(expand_number_ranges("m__OP_0..1_CL_.json"), ElementsAre("m_0.json", "m_1.json"));
  EXPECT_THAT(expand_number_ranges("{08..10}"), ElementsAre("08", "09", "10"));
  EXPECT_THAT(expand_number_ranges("{8..010}"), ElementsAre("008", "009", "010"));
  EXPECT_THAT(expand_number_ranges("{0..1}/_OP_5..6_CL_"), ElementsAre("0/5", "0/6", "1/5", "1/6"));
}

TEST(NumberRange, OtherBracketsStayAsTheyAre) {
  for (const char* path : {"", "a.tar", "{}", "{0..}", "{1..0}", "{a..b}", "{1,2}", "_OP_0..1", "{0..1_CL_",
                           "{-1..2}", "{0..99999999999999999999}"}) {
    EXPECT_THAT(expand_number_ranges(path), ElementsAre(path));
    EXPECT_FALSE(find_number_range(path)) << path;
  }
  EXPECT_THAT(expand_number_ranges("{x{0..1}"), ElementsAre("{x0", "{x1"));
  EXPECT_EQ(find_number_range("a{}b{0..1}"), 4U);
}

TEST(NumberRange, TooManyNamesAreRefused) {
  EXPECT_THROW(expand_number_ranges("{0..18446744073709551615}"), UsageError);
  EXPECT_THROW(expand_number_ranges("{0..9999}/{0..9999}"), UsageError);
}

}  // namespace
}  // namespace shardmill::source
