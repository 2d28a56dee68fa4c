#include "convert/plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::convert {
namespace {

ConvertOptions options(std::vector<std::string> shards, codec::Codec codec) {
  ConvertOptions made;
  made.shards = std::move(shards);
  made.out_folder = "out";
  made.codec = codec;
  return made;
}

TEST(ConvertPlan, TheSuffixOfTheCodecReplacesTheOldOne) {
  using codec::Codec;
  EXPECT_EQ(converted_paths(options({"in/a.tar.bz2", "in/b.tbz2", "in/c.tar", "in/d.tgz"}, Codec::zstd)),
            (std::vector<std::string>{"out/a.tar.zst", "out/b.tar.zst", "out/c.tar.zst", "out/d.tar.zst"}));
  EXPECT_EQ(converted_paths(options({"in/a.tar.bz2", "in/x"}, Codec::none)),
            (std::vector<std::string>{"out/a.tar", "out/x"}));
}

TEST(ConvertPlan, NoResultTakesTheNameOfAnotherOrThePlaceOfASource) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(plan_results(options({"a/x.tar", "b/x.tar.gz"}, codec::Codec::zstd)), UsageError);
  ConvertOptions in_place = options({folder.write("x.tar", "bytes")}, codec::Codec::none);
  in_place.out_folder = folder.path().string();
  EXPECT_THROW(plan_results(in_place), UsageError);
}

TEST(ConvertPlan, OnlyWhatIsStillToBeWrittenNeedsSpace) {
  const testing::TemporaryFolder folder;
  ConvertOptions plain = options({folder.write("x.tar", std::string(1000, 'x'))}, codec::Codec::none);
  plain.out_folder = folder.file("out");
  EXPECT_EQ(needed_bytes(plan_results(plain), plain), 1000u);
  plain.shards = {folder.file("missing.tar")};
  EXPECT_EQ(needed_bytes(plan_results(plain), plain), 0u) << "it is reported when its turn comes";
}

}  // namespace
}  // namespace shardmill::convert
