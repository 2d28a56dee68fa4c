#include "pipeline/intake/sample_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMebibyte = 1 << 20;

std::string problem(std::uint64_t needed, std::uint64_t allowed) {
  try {
    check_memory(needed, allowed, "a.tar", "key1");
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(SampleMemory, AudioCountsTwiceAndFourTimesInAnotherForm) {
  EXPECT_EQ(needed_bytes(1000, {}), 2000u);
  EXPECT_EQ(needed_bytes(1000, {.sample_rate = 8000}), 4000u);
  EXPECT_EQ(needed_bytes(1000, {.mono = true}), 4000u);
  EXPECT_EQ(needed_bytes(1000, {.container = audio::WantedForm::Container::flac}), 4000u);
  EXPECT_EQ(needed_bytes(0, {}), 0u);
}

TEST(SampleMemory, TextsAndFactsAreCopiedMoreOften) {
  shard::GroupedSample sample;
  sample.sample.members.push_back({.name = "a.wav", .extension = "wav", .bytes = Bytes(1000)});
  EXPECT_EQ(needed_bytes(sample, {}), 2000u);
  sample.sample.members.push_back({.name = "a.txt", .extension = "txt", .bytes = Bytes(10)});
  EXPECT_EQ(needed_bytes(sample, {}), 2020u + 60);
  sample.facts = std::string(5, 'x');
  EXPECT_EQ(needed_bytes(sample, {}), 2020u + 60 + 30);
  EXPECT_GT(needed_bytes(sample, {.mono = true}), needed_bytes(sample, {}));
}

TEST(SampleMemory, TheBoundIsKeptAndTheNextOneNamed) {
  EXPECT_EQ(problem(64 * kMebibyte, 64 * kMebibyte), "no problem");
  EXPECT_THAT(problem(64 * kMebibyte + 1, 64 * kMebibyte),
              HasSubstr("a.tar: member 'key1': this sample takes about "));
  EXPECT_THAT(problem(64 * kMebibyte + 1, 64 * kMebibyte), HasSubstr("(128MiB will do)"));
  EXPECT_THAT(problem(65 * kMebibyte, 1), HasSubstr("(128MiB will do)"));
  EXPECT_THAT(problem(std::uint64_t{1} << 40, 64 * kMebibyte), HasSubstr("(1024GiB will do)"));
}

TEST(SampleMemory, WhatTheProgramNeedsAnywayIsAlwaysAllowed) {
  EXPECT_EQ(problem(16 * kMebibyte, 0), "no problem");
  EXPECT_THAT(problem(16 * kMebibyte + 1, 0), HasSubstr("(32MiB will do)"));
}

}  // namespace
}  // namespace shardmill::pipeline
