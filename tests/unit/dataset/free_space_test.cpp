#include "dataset/free_space.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

TEST(PlentyOfRoom, IsManyTimesTheSources) {
  const std::string folder = testing::TemporaryFolder().path().string() + "/not/there/yet";
  EXPECT_TRUE(has_plenty_of_room(folder, 0));
  EXPECT_TRUE(has_plenty_of_room(folder, 1));
  EXPECT_FALSE(has_plenty_of_room(folder, std::uint64_t{1} << 60));
}

TEST(FreeSpace, IsAskedForFoldersThatDoNotExistYet) {
  const testing::TemporaryFolder folder;
  const std::string place = folder.file("not/there/yet");
  const std::uint64_t too_much = std::uint64_t{1} << 60;
  EXPECT_NO_THROW(check_free_space(place, 1));
  EXPECT_THROW(check_free_space(place, too_much), Error);
  EXPECT_NO_THROW(check_free_space(place, too_much, too_much)) << "all of it is written already";
}

TEST(FreeSpace, FilesBelowAFolderAreCounted) {
  const testing::TemporaryFolder folder;
  folder.write("a", "12345");
  folder.write("b/c", "123");
  EXPECT_EQ(bytes_below(folder.path().string()), 8u);
  EXPECT_EQ(bytes_below(folder.file("none")), 0u);
}

}  // namespace
}  // namespace shardmill::dataset
