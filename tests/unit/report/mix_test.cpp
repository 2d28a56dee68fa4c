#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

TEST(ReportMix, NamesTheDatasetsAndTheirShares) {
  testing::MadeDataset made;
  testing::MadeDataset two([&](repack::RepackOptions& options) {
    options.sources.push_back("second=" + made.source());
    options.recipe.intake.on_duplicate = pipeline::OnDuplicate::rename;
  });
  const std::string text = section_text(add_mix, facts_of(two));
  for (const char* part : {"set", "second", "50"}) EXPECT_THAT(text, ::testing::HasSubstr(part));
}

}  // namespace
}  // namespace shardmill::report
