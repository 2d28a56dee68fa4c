#include "dataset/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/version.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

TEST(Environment, ThisProgramFirstThenEachLibraryOnceByName) {
  const auto versions = all_versions({{"boost", "1.74.0"}, {"aaa", "1"}});
  EXPECT_EQ(versions.front().first, "shardmill");
  EXPECT_EQ(versions.front().second, base::version());
  std::set<std::string> names;
  for (const auto& [name, version] : versions) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(version, "") << name;
  }
  EXPECT_TRUE(std::is_sorted(versions.begin() + 1, versions.end()));
  for (const char* name : {"aaa", "boost", "libflac", "libsndfile", "libzstd", "tbb", "zlib"})
    EXPECT_TRUE(names.contains(name)) << name;
}

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
