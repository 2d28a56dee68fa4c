#include "base/version.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "base/remote/object.hpp"
#include "support/command_output.hpp"

namespace shardmill::base {

namespace {

TEST(Version, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex(R"(\d+\.\d+\.\d+)"))) << version();
}

}  // namespace

namespace {

// Debian's packages say the same: what runs is what was built against.
TEST(LibraryVersions, AreThoseThatPkgConfigNames) {
  const auto versions = library_versions();
  const bool has_libcurl = !libcurl_version().empty();
  EXPECT_EQ(versions.size(), has_libcurl ? 5u : 4u);
  const std::pair<const char*, const char*> packages[] = {{"fmt", "fmt"},
                                                          {"openssl", "libcrypto"},
                                                          {"simdjson", "simdjson"},
                                                          {"xxhash", "libxxhash"},
                                                          {"libcurl", "libcurl"}};
  for (const auto& [name, package] : packages) {
    if (name == std::string_view("libcurl") && !has_libcurl) continue;
    const std::string installed =
        testing::command_output(std::string("pkg-config --modversion ") + package + " 2>/dev/null || true");
    if (installed.empty()) continue;
    // By another name: before clang 16 a lambda cannot refer to one of a structured binding.
    const auto found = std::find_if(versions.begin(), versions.end(), [&wanted = name](const auto& version) {
      return version.first == wanted;
    });
    ASSERT_NE(found, versions.end()) << name;
    EXPECT_EQ(found->second + "\n", installed) << name;
  }
}

}  // namespace

}  // namespace shardmill::base
