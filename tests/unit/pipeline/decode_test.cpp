#include "pipeline/decode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;

class DecodeTest : public ::testing::Test {
 protected:
  DecodeTest() {
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < 40; ++i)
      files.emplace_back("k" + std::to_string(i) + ".wav",
                         testing::text_of(testing::random_bytes(20'000, static_cast<unsigned>(i))));
    plain = archive::make_tar(files);
    folder.write("plain.tar", plain);
  }

  /// The plain bytes up to the problem, which is kept.
  std::string decoded(const std::string& path, Trailing trailing = Trailing::damage) {
    base::File file = base::File::open_read(path);
    std::string all;
    problem.clear();
    try {
      decode(
          file, workers, reporter,
          [&](std::span<const std::byte> bytes) {
            all += testing::text_of(bytes);
            return all.size() < enough;
          },
          trailing);
    } catch (const Error& error) {
      problem = error.what();
    }
    return all;
  }
  std::string packed(const std::string& command) {
    testing::command_output("(" + command + ") < " + folder.file("plain.tar") + " > " +
                            folder.file("packed"));
    return folder.file("packed");
  }

  testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  Workers workers{2, std::uint64_t{64} << 20};
  std::string plain;
  std::string problem;
  std::size_t enough = SIZE_MAX;
};

TEST_F(DecodeTest, GivesAllBytesInOrderWhateverTheCodec) {
  for (const char* command : {"cat", "bzip2 -1c", "gzip -c", "xz -0c"}) {
    EXPECT_TRUE(decoded(packed(command)) == plain) << command;
    EXPECT_EQ(problem, "") << command;
  }
}

TEST_F(DecodeTest, CountsTheBytesOfTheFile) {
  const std::string path = packed("bzip2 -1c");
  decoded(path);
  EXPECT_EQ(reporter.progress().input_bytes, std::filesystem::file_size(path));
}

TEST_F(DecodeTest, StopsWhenTheSinkHasEnough) {
  enough = 1;
  const std::string begin = decoded(packed("bzip2 -1c"));
  EXPECT_EQ(problem, "");
  EXPECT_LT(begin.size(), plain.size());
  EXPECT_TRUE(plain.starts_with(begin));
}

TEST_F(DecodeTest, WhatIsBeforeTheDamageComesFirst) {
  const std::string path = packed("bzip2 -1c");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);
  const std::string begin = decoded(path);
  EXPECT_NE(problem, "");
  EXPECT_THAT(problem, HasSubstr(path));
  EXPECT_GT(begin.size(), plain.size() / 3);
  EXPECT_TRUE(plain.starts_with(begin));
}

TEST_F(DecodeTest, AnEmptyFileIsNoShard) {
  EXPECT_EQ(decoded(folder.write("empty", "")), "");
  EXPECT_THAT(problem, HasSubstr("is empty"));
}

TEST_F(DecodeTest, WhatIsNoTarIsRefusedBeforeAnyByteIsGiven) {
  for (const std::string& content : {std::string("some text"), std::string(2000, 'x')}) {
    EXPECT_EQ(decoded(folder.write("text", content)), "");
    EXPECT_THAT(problem, HasSubstr("neither a tar nor compressed"));
  }
  // A tar without members is zeros.
  EXPECT_EQ(decoded(folder.write("zeros", std::string(10'240, '\0'))).size(), 10'240U);
  EXPECT_EQ(problem, "");
}

TEST_F(DecodeTest, BytesAfterTheLastStreamAreDamageUnlessTheyAreIgnored) {
  const std::string path = packed("gzip -c; echo garbage");
  decoded(path);
  EXPECT_NE(problem, "");
  EXPECT_TRUE(decoded(path, Trailing::ignored) == plain);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(reporter.warnings.size(), 1U);
}

}  // namespace
}  // namespace shardmill::pipeline
