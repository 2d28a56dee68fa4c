#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

TEST(HuggingfaceForm, ColumnsAndDescription) {
  testing::WrittenForm form("huggingface");
  ASSERT_EQ(form.write().files.size(), 2u);
  const std::string card = form.read("README.md");
  EXPECT_TRUE(card.starts_with("---\n# Written by shardmill\n")) << card;
  EXPECT_NE(card.find("  - name: \"wav\"\n    dtype: audio\n"), std::string::npos) << card;
  EXPECT_NE(card.find("    path: \"shards/audio_*.tar\"\n"), std::string::npos) << card;
  const auto croissant = nlohmann::json::parse(form.read("croissant.json"));
  EXPECT_EQ(croissant["distribution"][1]["sha256"], "abc");
  EXPECT_EQ(croissant["recordSet"][0]["field"][0]["@id"], "samples/key");
}

}  // namespace
}  // namespace shardmill::dataset
