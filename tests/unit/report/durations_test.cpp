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

namespace {

using ::testing::HasSubstr;

class ReportQuality : public ::testing::Test {
 protected:
  std::string text(const QualityCounts& counts) {
    ReportFacts facts = facts_of(made_);
    facts.quality = counts;
    return section_text(add_quality, facts);
  }

 private:
  testing::MadeDataset made_;
};

TEST_F(ReportQuality, IsLeftOutWhereNothingWasMeasured) {
  EXPECT_EQ(text({}), "");
}

TEST_F(ReportQuality, SaysThatAllIsWell) {
  const std::string all = text({.measured = testing::MadeDataset::kSamples});
  EXPECT_THAT(all, HasSubstr("All samples were measured: none is clipped"));
  EXPECT_THAT(text({.measured = 3}), HasSubstr("3 of 10 samples were measured"));
}

TEST_F(ReportQuality, EachRowHasItsCountAndItsShareOfWhatWasMeasured) {
  const std::string some =
      text({.measured = 10, .clipped = 1, .dc_offset = 2, .silent = 3, .all_zero = 4, .narrow_band = 5});
  EXPECT_THAT(some, HasSubstr("some have defects"));
  EXPECT_THAT(some, ::testing::ContainsRegex("at full scale[^%]* 1 [^%]*10.0%"));
  EXPECT_THAT(some, ::testing::ContainsRegex("DC offset of 1% [^%]* 2 [^%]*20.0%"));
  EXPECT_THAT(some, ::testing::ContainsRegex("not all zeros[^%]* 3 [^%]*30.0%"));
  EXPECT_THAT(some, ::testing::ContainsRegex("nothing but zeros[^%]* 4 [^%]*40.0%"));
  EXPECT_THAT(some, ::testing::ContainsRegex("above 4 kHz[^%]* 5 [^%]*50.0%"));
}

}  // namespace

namespace {

TEST(ReportDurations, SaysHowLongSamplesAre) {
  testing::MadeDataset made;
  ReportFacts facts = facts_of(made);
  for (int i = 0; i < 1000; ++i) facts.durations["set"].add(std::chrono::milliseconds(2500));
  const std::string text = section_text(add_durations, facts);
  EXPECT_THAT(text, ::testing::HasSubstr("2.5"));   // the median
  EXPECT_THAT(text, ::testing::HasSubstr("0.10"));  // the shortest
}

}  // namespace
}  // namespace shardmill::report
