#include "source/set/labelled_sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LabelledSourcesTest : public ::testing::Test {
 protected:
  LabelledSources sources(const std::string& rows, const std::string& audio) {
    folder_.write("in/" + audio, "x");
    const std::string table = folder_.write("labels.jsonl", rows);
    return LabelledSources({{.dataset = "d", .path = table}, {.dataset = "other", .path = "not read"}},
                           {{.dataset = "d", .path = folder_.file("in")}}, {});
  }
  static std::vector<std::string> warnings(const LabelledSources& sources) {
    std::vector<std::string> texts;
    for (const Error& warning : sources.warnings_about("d")) texts.emplace_back(warning.what());
    return texts;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(LabelledSourcesTest, OnlyDatasetsThatAreGiven) {
  const LabelledSources found = sources(R"({"path":"a.wav","text":"one"})"
                                        "\n",
                                        "a.wav");
  EXPECT_TRUE(found.has("d"));
  EXPECT_FALSE(found.has("other"));
  EXPECT_THAT(found.files_of("d"), ElementsAre(folder_.file("labels.jsonl")));
  EXPECT_THAT(warnings(found), IsEmpty());
  EXPECT_NO_THROW(found.check_texts("d", {}));
}

TEST_F(LabelledSourcesTest, LabelsWithoutTexts) {
  const LabelledSources found = sources(R"({"path":"a.wav","words":"one"})"
                                        "\n",
                                        "a.wav");
  try {
    found.check_texts("d", {});
    ADD_FAILURE() << "no row has a text";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("its columns are path, words"));
  }
}

TEST_F(LabelledSourcesTest, NothingButNamesAgree) {
  EXPECT_THAT(warnings(sources(R"({"path":"/data/x/a.wav","text":"one"})"
                               "\n",
                               "y/a.wav")),
              ElementsAre(HasSubstr("nothing but the names of files agrees")));
}

TEST_F(LabelledSourcesTest, FieldsThatAreLeftOut) {
  const std::string said =
      R"({"id":"s","recording_id":"a","start":0,"duration":1,"text":"t","alignment":{"word":[]},)"
      R"("custom":{"emb":{"array":{"storage_type":"x"}},"snr":3}})"
      "\n";
  EXPECT_THAT(warnings(sources(said, "a.wav")), ElementsAre(HasSubstr("'alignment' of Lhotse is left out"),
                                                            HasSubstr("'custom.emb' of Lhotse is left out")));
}

TEST_F(LabelledSourcesTest, RowsThatCannotBeCut) {
  const LabelledSources found = sources(R"({"path":"a.wav","start":2,"end":1})"
                                        "\n",
                                        "a.wav");
  std::vector<std::string> bad;
  found.report_bad("d", [&](const LostAudio& lost) { bad.emplace_back(lost.error.what()); });
  EXPECT_THAT(bad, ElementsAre(HasSubstr("line 1: begins at 2 s and ends at 1 s")));
}

}  // namespace
}  // namespace shardmill::source
