#include "codec/library_versions.hpp"

#include <gtest/gtest.h>

#include "support/command_output.hpp"

namespace shardmill::codec {
namespace {

TEST(CodecLibraryVersions, AreThoseThatPkgConfigNames) {
  const auto versions = library_versions();
  const char* packages[] = {"bzip2", "liblz4", "liblzma", "libzstd", "zlib", "libisal"};  // in the same order
  ASSERT_EQ(versions.size() + missing_libraries().size(), 6u);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string installed = shardmill::testing::command_output(std::string("pkg-config --modversion ") +
                                                                     packages[i] + " 2>/dev/null || true");
    if (installed.empty()) continue;  // Debian's libbz2 has no such file
    EXPECT_EQ(versions[i].second + "\n", installed) << versions[i].first;
  }
}

}  // namespace
}  // namespace shardmill::codec
