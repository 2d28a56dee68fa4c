#include "manifest/record_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "manifest/record_lines.hpp"
#include "manifest/reject.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;

Reject reject(const std::string& problem) {
  Reject record;
  record.problem = problem;
  return record;
}

TEST(RecordReader, NothingOfTheLastRecordStaysInAReusedOne) {
  const TemporaryFolder folder;
  Reject full = reject("full");
  full.key = "k";
  full.samples = 3;
  full.samples_unknown = true;
  full.tar_bytes = {1, 2};
  const std::string bare = line_of(reject("bare"));
  RecordReader reader(folder.write("m.json", line_of(full) + bare));
  Reject record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(line_of(record), line_of(full));
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(line_of(record), bare);
  EXPECT_FALSE(reader.next(record));
  EXPECT_FALSE(RecordReader(folder.write("empty.json", "")).next(record));
}

TEST(RecordReader, CutAtAnyByteItGivesOnlyWholeRecords) {
  const TemporaryFolder folder;
  const std::string line = line_of(reject("p"));
  const std::string text = line + line;
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    RecordReader reader(folder.write("m.json", text.substr(0, bytes)));
    Reject record;
    const bool has_one = bytes >= line.size();
    if (has_one) {
      EXPECT_TRUE(reader.next(record)) << bytes;
    }
    if (bytes % line.size() == 0) {
      EXPECT_FALSE(reader.next(record)) << bytes;
    } else {
      EXPECT_THROW(reader.next(record), Error) << bytes;
    }
  }
}

TEST(RecordReader, GivesRecordsAndNamesTheLineOfABadOne) {
  const TemporaryFolder folder;
  const std::string line = line_of(reject("x"));
  const std::string path = folder.write("m.json", line + line + "{}\n" + line);
  RecordReader reader(path);
  Reject record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_TRUE(reader.next(record));
  EXPECT_EQ(reader.line_number(), 2u);
  try {
    reader.next(record);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ": line 3: 'dataset' is missing");
  }
}

TEST(RecordReader, ACutFileIsNoticedEvenBetweenBraceAndNewline) {
  const TemporaryFolder folder;
  const std::string line = line_of(reject("x"));
  RecordReader reader(folder.write("m.json", line + line.substr(0, line.size() - 1)));
  Reject record;
  EXPECT_TRUE(reader.next(record));
  EXPECT_THROW(reader.next(record), Error);
}

}  // namespace
}  // namespace shardmill::manifest
