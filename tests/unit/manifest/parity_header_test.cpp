#include "manifest/parity_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "manifest/dataset_record.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

ParityGroup group() {
  return {.name = "shards_000000",
          .parity_files = 2,
          .files = {{.path = "shards/a.tar", .bytes = 5, .sha256 = std::string(64, 'a')},
                    {.path = "shards/b.tar", .bytes = 7, .sha256 = std::string(64, 'b')}}};
}

TEST(ParityHeader, IsReadAsItWasWritten) {
  const std::string text = parity_header(group(), 1);
  const FoundParityHeader found = parity_header_in(text + "parity and seal");
  EXPECT_EQ(found.group, group());
  EXPECT_EQ(found.parity, 1U);
  EXPECT_EQ(found.bytes, text.size());
  EXPECT_EQ(found.group.payload_bytes(), 7U);
}

TEST(ParityHeader, AnythingElseIsRefused) {
  const std::string good = parity_header(group(), 1);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_THROW(parity_header_in(good.substr(0, cut)), Error) << cut;
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THROW(parity_header_in(changed("parity 1", "parity 2")), NewerFormat);
  EXPECT_THROW(parity_header_in(changed("parity 1", "parity 0")), Error);
  EXPECT_THROW(parity_header_in(changed("parity 1", "parity x")), Error);
  EXPECT_THROW(parity_header_in(changed("\"parity\":1", "\"parity\":2")), Error);
  EXPECT_THROW(parity_header_in(changed("_files\":2", "_files\":17")), Error);
  EXPECT_THROW(parity_header_in(changed("shards/a.tar", "../a.tar")), Error);
  EXPECT_THROW(parity_header_in(changed("shards/a.tar", "shards/b.tar")), Error);
  EXPECT_THROW(parity_header_in(changed("aaaa", "aaa")), Error);
  EXPECT_THROW(parity_header_in(changed("shards_000000", "../../000000")), Error);
  EXPECT_THROW(parity_header_in(changed("\"bytes\":5", "\"bytes\":5 ")), Error);
}

TEST(ParityHeader, AFileMustHaveTheSizeThatItsHeaderAsksFor) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("shards_000000.p01");
  base::File file = base::File::create(path);
  file.write(base::as_bytes(parity_header(group(), 1) + std::string(7 + kParitySealBytes, 'x')));
  EXPECT_EQ(read_parity_header(path).group, group());
  file.write(base::as_bytes("x"));
  EXPECT_THROW(read_parity_header(path), Error);
}

TEST(ParityHeader, NamesAreTold) {
  EXPECT_EQ(parity_file_name("shards_000000", 3), "parity/shards_000000.p03");
  EXPECT_TRUE(is_parity_file_name("parity/shards_000000.p03"));
  EXPECT_TRUE(is_parity_file_name("parity/records.p15"));
  for (const char* other : {"parity/.p00", "parity/a.p0", "parity/a.p000", "parity/a/b.p00", "shards/a.p00",
                            "parity/a.tar", "parity", ""})
    EXPECT_FALSE(is_parity_file_name(other)) << other;
}

}  // namespace
}  // namespace shardmill::manifest
