#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

using ::testing::HasSubstr;

TEST(ReportFormats, NamesEveryKindOfAudio) {
  testing::MadeDataset made;
  ReportFacts facts = facts_of(made);
  facts.records.dataset->audio.push_back({"flac/pcm24", 48000, 2, 1234, 7200});
  const std::string text = section_text(add_formats, facts);
  for (const char* part : {"wav/pcm16", "flac/pcm24", "1,234"}) EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace shardmill::report
