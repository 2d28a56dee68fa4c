#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/reports.hpp"

namespace shardmill::cli {
namespace {

using check::VerifySummary;
using ::testing::HasSubstr;
using ::testing::Not;

VerifySummary verified() {
  VerifySummary made{.is_dataset = true, .shards = 2, .samples = 1000, .with_text = 990};
  made.audio_seconds = 7200;
  made.bytes = 230'000'000;
  made.seconds = 2;
  return made;
}

void add(VerifySummary& to, const std::string& path, const std::string& what, bool is_cause = false,
         Finding::Severity severity = Finding::Severity::finding) {
  to.findings.push_back({.severity = severity, .where = at(path), .what = what, .is_cause = is_cause});
}

TEST(VerifyText, OfAGoodDatasetIsEmptyAndTheVerdictOneLine) {
  EXPECT_EQ(verify_text(verified(), false), "");
  EXPECT_EQ(
      verify_verdict(verified(), {"d"}),
      "d: checked 2 shards, 1,000 samples (990 with transcripts), 2.0 h of audio, 230 MB in 2.0 s: all good");
}

TEST(VerifyText, CausesComeFirstThenWhatFollowsThenNotes) {
  VerifySummary bad = verified();
  add(bad, "d/a.json", "follows");
  add(bad, "d/a.tar", "is broken", true);
  add(bad, "d/a.tar", "broken again", true);
  add(bad, "d/n", "nothing wrong", false, Finding::Severity::note);
  EXPECT_EQ(verify_text(bad, false),
            "damaged or missing: 1 file\n"
            "finding: d/a.tar: is broken\n"
            "other findings, which may follow from the damage:\n"
            "finding: d/a.json: follows\n"
            "finding: d/a.tar: broken again\n"
            "note: d/n: nothing wrong\n");
  EXPECT_THAT(verify_verdict(bad, {"d", "e"}), HasSubstr("d and 1 more: "));
  EXPECT_THAT(verify_verdict(bad, {"d"}), ::testing::EndsWith(": 3 findings, 1 note"));
}

TEST(VerifyText, ManyFindingsOfAFileAreCutUnlessAllAreWanted) {
  VerifySummary bad = verified();
  for (int i = 0; i < 8; ++i) add(bad, "d/a.tar", "problem " + std::to_string(i));
  add(bad, "d/b.tar", "other");
  EXPECT_THAT(verify_text(bad, false), HasSubstr("problem 4\n  and 3 more in d/a.tar (--all shows them)\n"));
  EXPECT_THAT(verify_text(bad, false), Not(HasSubstr("problem 5")));
  EXPECT_THAT(verify_text(bad, false), HasSubstr("d/b.tar: other"));
  EXPECT_THAT(verify_text(bad, true), HasSubstr("problem 7"));
  EXPECT_THAT(verify_text(bad, true), Not(HasSubstr("more in")));
}

TEST(VerifyText, NoFindingIsLostFromTheCounts) {
  VerifySummary bad = verified();
  for (int i = 0; i < 1000; ++i) add(bad, "d/" + std::to_string(1000 + i), "x");
  const std::string text = verify_text(bad, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 101);
  EXPECT_THAT(text, HasSubstr("and 900 lines about 900 files more"));
}

}  // namespace
}  // namespace shardmill::cli
