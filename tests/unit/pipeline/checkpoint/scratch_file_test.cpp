#include "pipeline/checkpoint/scratch_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

TEST(ScratchCheck, OnlyTheMarkedBytesCount) {
  const shardmill::testing::TemporaryFolder folder;
  std::string text(3'000'000, 'x');
  text += "the end";
  const std::string path = folder.write("a", text + "what came after the last checkpoint");
  const FileMark mark{.bytes = text.size(), .hash = hash_of_start(path, text.size()).digest()};
  int steps = 0;
  EXPECT_EQ(check_file(path, mark, [&] { ++steps; }).digest(), mark.hash);
  EXPECT_EQ(steps, 3);

  text[1'500'000] ^= 1;
  folder.write("a", text);
  EXPECT_THROW(check_file(path, mark), Error);
  folder.write("a", text.substr(1));
  EXPECT_THROW(check_file(path, mark), Error);
  EXPECT_EQ(check_file(path + " is not there", FileMark{}).digest(), FileMark{}.hash);
}

using shardmill::testing::TemporaryFolder;

TEST(AppendLogTest, EverythingIsThereAfterSync) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  AppendLog log(path);
  std::string expected;
  // Less than a buffer, then more than one, then nothing.
  for (const std::size_t bytes : {3U, 200'000U, 0U, 70'000U}) {
    const std::string text(bytes, static_cast<char>('a' + bytes % 26));
    log.append(text);
    expected += text;
  }
  log.append(base::as_bytes("and bytes"));
  expected += "and bytes";
  log.sync();
  EXPECT_EQ(base::read_text(path), expected);
  EXPECT_EQ(log.mark().bytes, expected.size());
  EXPECT_NO_THROW(check_file(path, log.mark()));
}

TEST(AppendLogTest, GoesBackToACheckpoint) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  FileMark mark;
  {
    AppendLog log(path);
    log.append("kept ");
    log.sync();
    mark = log.mark();
    log.append("written after the checkpoint, and lost with a crash");
    log.sync();
  }
  AppendLog log(path);
  log.restore(mark);
  EXPECT_EQ(base::read_text(path), "kept ");
  log.append("and more");
  log.sync();
  EXPECT_EQ(base::read_text(path), "kept and more");
  EXPECT_NO_THROW(check_file(path, log.mark()));
  // What was appended and not written yet is gone, too.
  log.append("never written");
  log.restore(mark);
  log.sync();
  EXPECT_EQ(base::read_text(path), "kept ");
}

TEST(AppendLogTest, AnEmptyMarkMakesItNew) {
  const TemporaryFolder folder;
  const std::string path = folder.write("log", "of an earlier run");
  AppendLog log(path);
  log.restore(FileMark{});
  log.append("new");
  log.sync();
  EXPECT_EQ(base::read_text(path), "new");
}

TEST(AppendLogTest, BytesThatAreMissingOrHaveChangedAreAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  AppendLog log(path);
  log.append("0123456789");
  log.sync();
  const FileMark mark = log.mark();
  folder.write("log", "01234x6789");
  EXPECT_THROW(log.restore(mark), Error);
  folder.write("log", "012345678");
  EXPECT_THROW(log.restore(mark), Error);
  folder.write("log", "0123456789 and more");
  EXPECT_NO_THROW(log.restore(mark));
}

}  // namespace

}  // namespace shardmill::pipeline
