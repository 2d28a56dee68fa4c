#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

manifest::SampleRecord record_of(const std::string& key, const std::string& facts) {
  manifest::SampleRecord record;
  record.key = key;
  record.dataset = "a";
  record.audio_filepath = key + ".wav";
  record.duration_seconds = 1.25;
  record.text = "é \"x\"";
  record.facts = facts;
  return record;
}

TEST(AmphionForm, AFolderOfEachDataset) {
  testing::WrittenForm form("amphion");
  form.write_records({record_of("k1", R"("speaker":"spk")"), record_of("k2", "")});
  const auto list = nlohmann::json::parse(form.read("amphion/a/train.json"));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], (nlohmann::json{{"Dataset", "a"},
                                     {"index", 0},
                                     {"Singer", "spk"},
                                     {"Uid", "k1"},
                                     {"Text", "é \"x\""},
                                     {"Path", "audio/k1.wav"},
                                     {"Duration", 1.25}}));
  EXPECT_EQ(list[1]["index"], 1);
  EXPECT_EQ(list[1]["Singer"], "a");  // of the dataset, as the speaker is unknown
  EXPECT_EQ(form.read("amphion/a/test.json"), "[]\n");
  EXPECT_EQ(nlohmann::json::parse(form.read("amphion/a/singers.json")),
            (nlohmann::json{{"a_a", 0}, {"a_spk", 1}}));
}

}  // namespace
}  // namespace shardmill::dataset
