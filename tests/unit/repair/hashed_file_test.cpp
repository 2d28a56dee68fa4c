#include "repair/hashed_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
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
}  // namespace shardmill::repair
