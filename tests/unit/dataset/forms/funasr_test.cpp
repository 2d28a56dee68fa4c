#include <gtest/gtest.h>

#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

manifest::SampleRecord record_of(const std::string& text, std::uint64_t frames = 16'000,
                                 std::uint32_t rate = 16'000) {
  manifest::SampleRecord record;
  record.audio_filepath = "k.wav";
  record.key = "k";
  record.text = text;
  record.audio.frames = frames;
  record.audio.sample_rate = rate;
  return record;
}

std::string line_of(const std::string& text, std::uint64_t frames = 16'000, std::uint32_t rate = 16'000) {
  testing::WrittenForm form("funasr");
  form.write_records({record_of(text, frames, rate)});
  return form.read("funasr/train.jsonl");
}

std::string nano_line_of(const manifest::SampleRecord& record) {
  testing::WrittenForm form("funasr");
  form.write_records({record});
  return form.read("funasr/nano.jsonl");
}

bool is_warned_of(const manifest::SampleRecord& record) {
  testing::WrittenForm form("funasr");
  form.write_records({record});
  return !form.made().reporter().warnings.empty();
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

// The first two lengths are those of FunASR's own examples: data/train_example.jsonl of fun_asr_nano has
// IT0011W0002.wav with 145 frames (1.47 s), and docs/finetune.md counts 3 tokens in its text.
TEST(FunasrNano, Line) {
  EXPECT_EQ(nano_line_of(record_of("几点了", 23'520)),
            R"({"messages":[{"role":"system","content":"You are a helpful assistant."},)"
            R"({"role":"user","content":"语音转写：<|startofspeech|>!audio/k.wav<|endofspeech|>"},)"
            R"({"role":"assistant","content":"几点了"}],"speech_length":145,"text_length":3,"key":"k"})"
            "\n");
}

TEST(FunasrNano, LengthsOfTexts) {
  const auto length = [](const std::string& text) {
    const std::string line = nano_line_of(record_of(text));
    const std::size_t begin = line.find("\"text_length\":") + 14;
    return line.substr(begin, line.find(',', begin) - begin);
  };
  EXPECT_EQ(length(""), "0");
  EXPECT_EQ(length("four fives"), "3");
  EXPECT_EQ(length("今天 ok 12!"), "6");
}

TEST(FunasrList, WhatItDropsWithoutAnError) {
  constexpr std::uint64_t kFrame = 160;
  EXPECT_FALSE(is_warned_of(record_of("x", 2048 * kFrame)));
  EXPECT_TRUE(is_warned_of(record_of("x", 2049 * kFrame)));
  EXPECT_FALSE(is_warned_of(record_of(std::string(200, 'x'), 2000 * kFrame)));
  EXPECT_TRUE(is_warned_of(record_of(std::string(201, 'x'), 2000 * kFrame)));
}

}  // namespace
}  // namespace shardmill::dataset
