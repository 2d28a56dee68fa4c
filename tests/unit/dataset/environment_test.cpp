#include "dataset/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/version.hpp"

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

}  // namespace
}  // namespace shardmill::dataset
