#include "codec/input.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using shardmill::testing::TemporaryFolder;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Input, WhatWasLookedAtIsReadAllTheSame) {
  const TemporaryFolder folder;
  const std::string plain = testing::noise(5000);
  std::mt19937 random(1);
  for (const std::size_t looked_at : {0U, 1U, 16U, 4999U, 5000U, 9000U}) {
    base::File file = base::File::open_read(folder.write("a", plain));
    Input input(file);
    EXPECT_EQ(text_of(input.peek(looked_at)), plain.substr(0, looked_at));
    std::string got;
    std::vector<std::byte> room(700);
    for (;;) {
      const std::size_t wanted = 1 + random() % 700;
      const std::size_t read = input.read(std::span(room).first(wanted));
      got += text_of(std::span(room).first(read));
      if (read < wanted) break;
    }
    EXPECT_TRUE(got == plain) << looked_at;
  }
}

TEST(Input, JumpsToAnyPlaceOfAFile) {
  const TemporaryFolder folder;
  const std::string plain = testing::noise(5000);
  for (const std::uint64_t offset : {0U, 3U, 4999U, 5000U}) {
    base::File file = base::File::open_read(folder.write("a", plain));
    Input input(file);
    input.peek(10);
    input.jump(offset);
    std::vector<std::byte> room(6000);
    EXPECT_EQ(text_of(std::span(room).first(input.read(room))), plain.substr(offset)) << offset;
  }
}

TEST(Slicer, CutsIntoSlicesOfOneSizeAndKnowsTheLast) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 99U, 100U, 101U, 200U, 250U}) {
    const std::string plain = testing::noise(size);
    base::File file = base::File::open_read(folder.write("a", plain));
    Slicer slicer(Input(file), 100);
    std::string got;
    Slice slice;
    bool last = false;
    while (slicer.next(slice)) {
      EXPECT_FALSE(last) << size;
      EXPECT_EQ(slice.offset, got.size());
      last = slice.last;
      if (!last) {
        EXPECT_EQ(slice.bytes.size(), 100u);
      }
      got += text_of(slice.bytes);
    }
    EXPECT_EQ(last, size > 0) << size;
    EXPECT_EQ(got, plain);
  }
}

}  // namespace
}  // namespace shardmill::codec
