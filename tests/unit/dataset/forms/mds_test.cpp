#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

TEST(MdsForm, AFileForEachShardAndAnIndex) {
  testing::WrittenForm form("mds");
  const WrittenIndexes written = form.write();
  ASSERT_EQ(written.files.size(), 2u);
  EXPECT_EQ(form.names(1), (std::vector<std::string>{"mds/shard.00000.mds", "mds/index.json"}));
  EXPECT_EQ(form.read("mds/shard.00000.mds").substr(0, 4), std::string("\5\0\0\0", 4));
  EXPECT_THAT(form.read("mds/index.json"), ::testing::HasSubstr(written.files[1].sha256));
}

TEST(MdsForm, AShardOfMoreThan4GiBIsAnError) {
  testing::WrittenForm form("mds");
  std::string lines = form.made().read("manifests/manifest_000000000.json");
  const std::string name = "\"audio_bytes\":";
  const std::size_t begin = lines.find(name) + name.size();
  lines.replace(begin, lines.find(',', begin) - begin, "4294967296");
  form.made().write("manifests/manifest_000000000.json", lines);
  try {
    form.write();
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("4 GiB"));
  }
}

}  // namespace
}  // namespace shardmill::dataset
