#include "codec/xz/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

namespace shardmill::codec {
namespace {

using ::testing::HasSubstr;

TEST(XzProblem, ThereIsNoneWhereDecodingCanGoOn) {
  for (const lzma_ret status : {LZMA_OK, LZMA_STREAM_END, LZMA_BUF_ERROR}) {
    EXPECT_EQ(xz_problem(status, 0).text, "") << status;
  }
}

TEST(XzProblem, TellsHowMuchMemoryIsMissing) {
  const XzProblem problem = xz_problem(LZMA_MEMLIMIT_ERROR, std::uint64_t{1} << 30);
  EXPECT_EQ(problem.text, "needs 1025 MiB of memory to be decoded by xz, more than the limit of 256 MiB");
  EXPECT_THAT(problem.advice, HasSubstr("xz -9 or less"));
}

TEST(XzProblem, EverythingElseIsDamage) {
  EXPECT_EQ(xz_problem(LZMA_DATA_ERROR, 0).text, "damaged xz data");
  EXPECT_EQ(xz_problem(LZMA_FORMAT_ERROR, 0).text, "damaged xz data");
  EXPECT_THAT(xz_problem(LZMA_OPTIONS_ERROR, 0).text, HasSubstr("options"));
  EXPECT_THAT(xz_problem(LZMA_UNSUPPORTED_CHECK, 0).text, HasSubstr("cannot be verified"));
}

}  // namespace
}  // namespace shardmill::codec
