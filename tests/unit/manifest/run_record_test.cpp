#include "manifest/run_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;

RunRecord run_record() {
  RunRecord record;
  record.command = "shardmill repack a=x --out y";
  record.started = "2026-01-31T12:00:00Z";
  record.seconds = 12.5;
  record.host = "node7";
  record.system = "Linux 6.1.0 x86_64";
  record.cpu = "some CPU";
  record.vector_path = "avx2";
  record.filesystem = "ext4";
  record.cores = 8;
  record.threads = 4;
  record.memory_bytes = std::uint64_t{1} << 30;
  record.list_root = "/data/y";
  record.versions = {{"shardmill", "0.1.0"}, {"libzstd", "1.5.4"}};
  record.inputs = {{"a", "x/1.tar", 1024, 1700000000123456789}, {"a", "x/2.tar", 2048, -1}};
  return record;
}

TEST(RunRecord, ReadsBackAndOthersReadIt) {
  const TemporaryFolder folder;
  const std::string text = to_json(run_record());
  const RunRecord record = read_run_record(folder.write("run.json", text));
  EXPECT_EQ(to_json(record), text);
  EXPECT_EQ(record.inputs[0].mtime_ns, 1700000000123456789);
  EXPECT_EQ(nlohmann::json::parse(text)["versions"]["libzstd"], "1.5.4");
}

TEST(RunRecord, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  std::string text = to_json(run_record());
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    const char flip = static_cast<char>(1 << (bit % 8));
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ flip);
    ASSERT_THROW(read_run_record(folder.write("run.json", text)), Error) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ flip);
  }
  EXPECT_NO_THROW(read_run_record(folder.write("run.json", text)));
}

TEST(RunRecord, ShortAndEmptyFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_run_record(folder.write("run.json", "")), Error);
  EXPECT_THROW(read_run_record(folder.write("run.json", "{}\n")), Error);
  EXPECT_THROW(read_run_record(folder.file("missing.json")), Error);
}

}  // namespace
}  // namespace shardmill::manifest
