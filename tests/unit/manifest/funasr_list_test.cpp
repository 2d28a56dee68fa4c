#include "manifest/funasr_list.hpp"

#include <gtest/gtest.h>

namespace shardmill::manifest {
namespace {

std::string line_of(const std::string& text, std::uint64_t frames = 16'000, std::uint32_t rate = 16'000) {
  SampleRecord record;
  record.audio_filepath = "k.wav";
  record.key = "k";
  record.text = text;
  record.audio.frames = frames;
  record.audio.sample_rate = rate;
  return funasr_line(record);
}

TEST(FunasrList, Line) {
  EXPECT_EQ(line_of("a b"),
            R"({"key":"k","source":"audio/k.wav","source_len":100,"target":"a b","target_len":2})"
            "\n");
}

TEST(FunasrList, LengthsAreThoseAt16Kilohertz) {
  EXPECT_NE(line_of("x", 48'000, 48'000).find("\"source_len\":100,"), std::string::npos);
  EXPECT_NE(line_of("x", 159).find("\"source_len\":0,"), std::string::npos);
  // 44,100 Hz: 441 frames are 160 at 16 kHz, and a part of a frame counts for one.
  EXPECT_NE(line_of("x", 441, 44'100).find("\"source_len\":1,"), std::string::npos);
  EXPECT_NE(line_of("x", 440, 44'100).find("\"source_len\":1,"), std::string::npos);
  EXPECT_NE(line_of("x", 438, 44'100).find("\"source_len\":0,"), std::string::npos);
}

TEST(FunasrList, CharactersWhereThereAreNoBlanks) {
  EXPECT_NE(line_of("\u4eca\u5929\u5f88\u597d").find("\"target_len\":4}"), std::string::npos);
  EXPECT_NE(line_of(" \u4eca\u5929 ").find("\"target_len\":2}"), std::string::npos);
  EXPECT_NE(line_of("").find("\"target\":\"\",\"target_len\":0}"), std::string::npos);
}

}  // namespace
}  // namespace shardmill::manifest
