#include "dataset/indexes/card.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

TEST(Card, ColumnsAndDescription) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_card({{.path = made.path("shards/audio_000000000.tar"),
               .name = "shards/audio_000000000.tar",
               .manifest = made.path("manifests/manifest_000000000.json"),
               .sha256 = "abc"}},
             out.path().string(), made.workers(), made.reporter(), written);
  ASSERT_EQ(written.files.size(), 2u);
  const std::string card = base::read_text(out.file("README.md"));
  EXPECT_TRUE(card.starts_with("---\n# Written by shardmill\n")) << card;
  EXPECT_NE(card.find("  - name: \"wav\"\n    dtype: audio\n"), std::string::npos) << card;
  EXPECT_NE(card.find("    path: \"shards/audio_*.tar\"\n"), std::string::npos) << card;
  const auto croissant = nlohmann::json::parse(base::read_text(out.file("croissant.json")));
  EXPECT_EQ(croissant["distribution"][1]["sha256"], "abc");
  EXPECT_EQ(croissant["recordSet"][0]["field"][0]["@id"], "samples/key");
}

}  // namespace
}  // namespace shardmill::dataset
