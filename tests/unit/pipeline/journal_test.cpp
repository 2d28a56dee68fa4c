#include "pipeline/journal.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/hash/hash.hpp"
#include "base/io/binary_fields.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

TEST(Journal, IsReadAsItWasWrittenAndReplacedWhole) {
  const testing::TemporaryFolder folder;
  const std::string path = journal_path(folder.path().string());
  EXPECT_FALSE(read_journal(path));
  EXPECT_FALSE(looks_like_journal(path));
  for (const std::string& text : {std::string("shards: 4\n"), std::string()}) {
    write_journal(path, {.fingerprint = text, .body = {std::byte{1}, std::byte{0}}});
    const auto journal = read_journal(path);
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->fingerprint, text);
    EXPECT_EQ(journal->body, (Bytes{std::byte{1}, std::byte{0}}));
    EXPECT_TRUE(looks_like_journal(path));
  }
}

TEST(Journal, OfAnotherVersionIsNotUnderstood) {
  const testing::TemporaryFolder folder;
  base::BinaryWriter out;
  out.put(std::string_view("shardmill journal 5"));
  out.put(std::string_view(""));
  out.put(std::string_view(""));
  const base::Xxh128 hash = base::xxh3_128(out.bytes());
  std::string text(reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size());
  text.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
  const std::string path = folder.write("journal", text);
  EXPECT_TRUE(looks_like_journal(path));
  try {
    read_journal(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("another version"), std::string::npos);
  }
}

}  // namespace
}  // namespace shardmill::pipeline
