#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

TEST(ParquetForm, ATableForEachShardAndACard) {
  testing::WrittenForm form("parquet");
  ASSERT_EQ(form.write().files.size(), 2u);
  EXPECT_EQ(form.names(1),
            (std::vector<std::string>{"parquet/train-00000-of-00001.parquet", "parquet/README.md"}));
  const std::string table = form.read("parquet/train-00000-of-00001.parquet");
  EXPECT_TRUE(table.starts_with("PAR1"));
  EXPECT_TRUE(table.ends_with("PAR1"));
  EXPECT_THAT(table, ::testing::HasSubstr(R"({"info":{"features":{"audio":{"_type":"Audio"},"text":)"));
}

TEST(ParquetForm, ASampleOfMoreThan2GiBIsAnErrorBeforeAnythingIsWritten) {
  testing::WrittenForm form("parquet");
  std::string lines = form.made().read("manifests/manifest_000000000.json");
  const std::string name = "\"audio_bytes\":";
  const std::size_t begin = lines.rfind(name) + name.size();
  lines.replace(begin, lines.find(',', begin) - begin, "2147483648");
  form.made().write("manifests/manifest_000000000.json", lines);
  try {
    form.write();
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("2 GiB"));
    EXPECT_FALSE(error.where().member.empty());
  }
  EXPECT_FALSE(base::may_exist(form.file("parquet")));
}

TEST(ParquetForm, ThousandsOfColumnsAreAnError) {
  testing::WrittenForm form("parquet");
  std::string lines = form.made().read("manifests/manifest_000000000.json");
  std::string facts;
  for (int i = 0; i < 1001; ++i) facts += ",\"fact" + std::to_string(i) + "\":1";
  lines.insert(lines.find('}'), facts);
  form.made().write("manifests/manifest_000000000.json", lines);
  EXPECT_THROW(form.write(), Error);
}

}  // namespace
}  // namespace shardmill::dataset
