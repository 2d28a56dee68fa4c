#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "repair/inventory.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repair {

namespace {

using testing::MadeDataset;

std::string sha256(const std::string& bytes) {
  base::Sha256 hash;
  hash.update(base::as_bytes(bytes));
  return base::to_hex(hash.digest());
}

class HashedFileTest : public ::testing::Test {
 protected:
  HashedFile hashed(const std::string& bytes) {
    made_.write("a file", bytes);
    return hash_file(made_.path("a file"), made_.reporter());
  }

  MadeDataset made_;
};

TEST_F(HashedFileTest, HasTheChecksumOfAllBytes) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65}, kHashStepBytes + 64, 3 * kHashStepBytes + 7}) {
    const std::string bytes(size, 'x');
    const HashedFile file = hashed(bytes);
    EXPECT_EQ(file.sha256, sha256(bytes)) << size;
    EXPECT_EQ(file.bytes, size);
    EXPECT_FALSE(file.is_sealed) << size;
  }
}

TEST_F(HashedFileTest, IsSealedWhenItsEndIsTheChecksumOfTheRest) {
  const std::string rest(kHashStepBytes + 5, 'y');
  const std::string whole = rest + sha256(rest) + "\n";
  EXPECT_TRUE(hashed(whole).is_sealed);
  EXPECT_EQ(hashed(whole).sha256, sha256(whole));
  EXPECT_FALSE(hashed("z" + whole).is_sealed);
}

TEST_F(HashedFileTest, AFileThatIsNotThereIsAnError) {
  EXPECT_THROW(hash_file(made_.path("nothing"), made_.reporter()), Error);
}

}  // namespace

namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

std::string damaged(std::string checksum, std::size_t digits) {
  return checksum.replace(0, digits, digits, 'f');
}

TEST(WantedChecksum, IsUnknownWhereNothingIsTold) {
  EXPECT_EQ(wanted_checksum({}, kOne), std::nullopt);
}

TEST(WantedChecksum, IsTheFirstThatIsToldOfALostOrDamagedFile) {
  EXPECT_EQ(wanted_checksum({kOne}, ""), kOne);
  EXPECT_EQ(wanted_checksum({kOne, kTwo}, std::string(64, '3')), kOne);
}

TEST(WantedChecksum, IsThatOfTheFileWhereAnyRecordAgrees) {
  EXPECT_EQ(wanted_checksum({kOne}, kOne), kOne);
  EXPECT_EQ(wanted_checksum({kOne, kTwo}, kTwo), kTwo);
}

TEST(WantedChecksum, SeesThroughAFewDamagedDigitsOfARecord) {
  EXPECT_EQ(wanted_checksum({damaged(kOne, 16)}, kOne), kOne);
  EXPECT_EQ(wanted_checksum({damaged(kOne, 17)}, kOne), damaged(kOne, 17));
  EXPECT_EQ(wanted_checksum({damaged(kOne, 3), kOne}, ""), kOne);
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnsummedFiles, AreBadWhereTheyAreLostOrDoNotFit) {
  testing::MadeDataset made;
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), IsEmpty());
  made.write("data.list", "/elsewhere/shards/audio_000000000.tar\n");
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), ElementsAre("data.list"));
  std::filesystem::remove(made.path("data.list"));
  std::filesystem::remove(made.path("run.json"));
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), ElementsAre("data.list", "run.json"));
}

TEST(UnsummedFiles, OthersAreNotLookedAt) {
  testing::MadeDataset made;
  std::filesystem::remove(made.path("shards/audio_000000000.tar"));
  made.flip("manifests/manifest_000000000.json", 9);
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), IsEmpty());
}

}  // namespace

}  // namespace shardmill::repair
