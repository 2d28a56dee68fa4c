#include "repair/inventory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repair {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using testing::MadeDataset;

constexpr const char* kShard = "shards/audio_000000000.tar";

class InventoryTest : public ::testing::Test {
 protected:
  Inventory take() { return take_inventory(made_.folder(), made_.workers(), made_.reporter()); }
  void lose(const std::string& name) { std::filesystem::remove(made_.path(name)); }
  /// The checksum that SHA256SUMS has of a file.
  std::string recorded(const std::string& name) {
    const std::string sums = made_.read("SHA256SUMS");
    const std::size_t at = sums.find("  " + name + "\n");
    return at == std::string::npos ? "" : sums.substr(at - 64, 64);
  }
  void change_sums(std::size_t line, char digit) {
    std::string sums = made_.read("SHA256SUMS");
    std::size_t at = 0;
    while (line-- > 0) at = sums.find('\n', at) + 1;
    sums[at] = digit;
    made_.write("SHA256SUMS", sums);
  }

  MadeDataset made_;
};

TEST_F(InventoryTest, OfAWholeDatasetNothingIsBad) {
  const Inventory inventory = take();
  EXPECT_THAT(inventory.bad, IsEmpty());
  EXPECT_TRUE(inventory.knows_all_checksums);
  EXPECT_EQ(inventory.wanted.at(kShard), recorded(kShard));
  EXPECT_THAT(inventory.wanted, Contains(Key("manifests/manifest_000000001.json")));
  EXPECT_GE(inventory.files, inventory.wanted.size());
  EXPECT_GT(inventory.bytes, std::filesystem::file_size(made_.path(kShard)));
}

TEST_F(InventoryTest, AFlippedBitAndALostFile) {
  made_.flip(kShard, 700);
  lose("manifests/manifest_000000001.json");
  lose("rejects.jsonl");
  const Inventory inventory = take();
  EXPECT_THAT(inventory.bad, ElementsAre("manifests/manifest_000000001.json", "rejects.jsonl", kShard));
  EXPECT_EQ(inventory.wanted.at(kShard), recorded(kShard));
}

TEST_F(InventoryTest, FilesWithoutAChecksumOfTheirOwn) {
  lose("data.list");
  EXPECT_THAT(take().bad, ElementsAre("data.list"));
  lose("run.json");
  EXPECT_THAT(take().bad, ElementsAre("data.list", "run.json"));
}

TEST_F(InventoryTest, WithoutSha256sumsTheOthersAreStillProven) {
  lose("SHA256SUMS");
  const Inventory inventory = take();
  EXPECT_THAT(inventory.bad, Contains("SHA256SUMS"));
  EXPECT_TRUE(inventory.knows_all_checksums);
  // shards.jsonl has those of the shards.
  EXPECT_EQ(inventory.bad.count(kShard), 0u);
  EXPECT_THAT(inventory.wanted, Contains(Key(kShard)));
}

TEST_F(InventoryTest, WithoutSha256sumsAChangedManifestIsNotTakenForGood) {
  lose("SHA256SUMS");
  std::string manifest = made_.read("manifests/manifest_000000000.json");
  manifest.replace(manifest.find("\"duration\":"), 12, "\"duration\":9");
  made_.write("manifests/manifest_000000000.json", manifest);
  EXPECT_FALSE(take().knows_all_checksums);
}

TEST_F(InventoryTest, ADamagedLineDoesNotMakeItsFileBad) {
  // A digit of a checksum is another one: the file that is there is nearly it, so the line is wrong.
  const std::string sums = made_.read("SHA256SUMS");
  change_sums(0, sums[0] == '0' ? '1' : '0');
  EXPECT_THAT(take().bad, ElementsAre("SHA256SUMS"));
  // A line that is no line.
  made_.write("SHA256SUMS", "x" + sums.substr(1));
  EXPECT_THAT(take().bad, Contains("SHA256SUMS"));
  // A file cut in the middle of a line.
  made_.write("SHA256SUMS", sums.substr(0, sums.size() / 2));
  EXPECT_THAT(take().bad, Contains("SHA256SUMS"));
  EXPECT_EQ(take().bad.count(kShard), 0u);
}

TEST_F(InventoryTest, ADamagedNameIsNoFileThatIsMissing) {
  std::string sums = made_.read("SHA256SUMS");
  sums[sums.find(kShard)] = 'S';
  made_.write("SHA256SUMS", sums);
  EXPECT_THAT(take().bad, ElementsAre("SHA256SUMS"));
}

TEST_F(InventoryTest, NamesThatLeadOutOfTheFolderAreNotFollowed) {
  made_.write("SHA256SUMS", made_.read("SHA256SUMS") + std::string(64, '0') + "  ../../etc/passwd\n");
  const Inventory inventory = take();
  EXPECT_THAT(inventory.bad, ElementsAre("SHA256SUMS"));
  EXPECT_EQ(inventory.wanted.count("../../etc/passwd"), 0u);
}

TEST_F(InventoryTest, WhereARecordIsDamagedTheShardsAreStillJudgedByTheirChecksums) {
  made_.flip("shards.jsonl", 20);
  made_.flip(kShard, 1000);
  EXPECT_THAT(take().bad, ElementsAre("shards.jsonl", kShard));
}

}  // namespace
}  // namespace shardmill::repair
