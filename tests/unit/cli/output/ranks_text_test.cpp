#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/reports.hpp"
#include "ranks/ranks.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;

TEST(RanksText, NamesTheLoadersAndShardsThatNobodyReads) {
  // Three shards for two ranks: WebDataset's and others' rules leave ranks unequal.
  testing::MadeDataset made([](repack::RepackOptions& options) { options.recipe.sizing.amount = 3; });
  ranks::RanksOptions options{.targets = {made.folder()},
                              .world_sizes = {2},
                              .loaders = {deal::Loader::wenet, deal::Loader::webdataset}};
  options.dry_run = true;
  const auto summary = ranks::run_ranks(options, made.workers(), made.reporter());
  const std::string text = ranks_as_text(summary, options, Glyphs::ascii);
  for (const char* part :
       {"3 shards", "world size 2", "3 shards divide into world sizes 1, 3", "wenet", "webdataset"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_TRUE(
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  for (const char* odd : {"nan", "inf "}) EXPECT_THAT(text, ::testing::Not(HasSubstr(odd)));
}

}  // namespace
}  // namespace shardmill::cli
