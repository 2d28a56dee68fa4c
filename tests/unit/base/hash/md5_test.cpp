#include "base/hash/md5.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {

namespace {

std::string md5(std::string_view text, std::size_t step = SIZE_MAX) {
  Md5 hash;
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size())))
    hash.update(as_bytes(text.substr(0, step)));
  return hash.finish();
}

TEST(Md5Test, TheTestSuiteOfRfc1321) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5Test, PartsMakeNoDifferenceAroundTheEdgesOfBlocks) {
  for (std::size_t size = 50; size < 140; ++size) {
    const std::string text(size, 'x');
    const std::string whole = md5(text);
    for (const std::size_t step : {1U, 3U, 55U, 56U, 63U, 64U, 65U})
      EXPECT_EQ(md5(text, step), whole) << size << ", " << step;
  }
}

TEST(Md5Test, IsThatOfMd5sum) {
  const shardmill::testing::TemporaryFolder folder;
  std::string data;
  for (unsigned i = 0; i < 3'000'000; ++i) data += static_cast<char>(i * i >> 7);
  EXPECT_EQ(md5(data, 1 << 16) + "  -\n",
            shardmill::testing::command_output("md5sum < " + folder.write("data", data)));
}

}  // namespace

namespace {

/// The text with the padding that MD5 adds after it.
std::string padded(std::string text) {
  const std::uint64_t bits = 8 * text.size();
  text += '\x80';
  while (text.size() % kMd5BlockBytes != kMd5BlockBytes - 8) text += '\0';
  for (int i = 0; i < 8; ++i) text += static_cast<char>(bits >> 8 * i & 0xff);
  return text;
}

std::string digest(const Md5LaneWords& words, std::size_t lane) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const auto& word : words) {
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t byte = word[lane] >> 8 * i & 0xff;
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
  }
  return hex;
}

class Md5LanesTest : public ::testing::TestWithParam<VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Md5LanesTest, ::testing::ValuesIn(available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Md5LanesTest, GivesWhatMd5sumGives) {
  const UpdateMd5Lanes update = md5_lanes_update(GetParam());
  if (update == nullptr) GTEST_SKIP() << "nothing is gained on this path";
  const shardmill::testing::TemporaryFolder folder;
  std::mt19937 random(1);
  for (const std::size_t bytes : {0U, 1U, 55U, 56U, 64U, 5000U}) {
    std::array<std::string, kMd5Lanes> texts;
    Md5LaneWords words;
    Md5LaneData data;
    for (std::size_t i = 0; i < words.size(); ++i) words[i].fill(kMd5Begin[i]);
    for (std::size_t lane = 0; lane < kMd5Lanes; ++lane) {
      std::string text(bytes, '\0');
      for (char& c : text) c = static_cast<char>(random());
      folder.write(std::to_string(lane), text);
      texts[lane] = padded(text);
      data[lane] = reinterpret_cast<const std::byte*>(texts[lane].data());
    }
    // In two steps, so that the state in between is tested, too.
    update(words, data, 1);
    for (const std::byte*& lane : data) lane += kMd5BlockBytes;
    update(words, data, texts[0].size() / kMd5BlockBytes - 1);
    for (std::size_t lane = 0; lane < kMd5Lanes; ++lane) {
      const std::string path = (folder.path() / std::to_string(lane)).string();
      EXPECT_EQ(digest(words, lane), shardmill::testing::command_output("md5sum < " + path).substr(0, 32))
          << bytes << " bytes, lane " << lane;
    }
  }
}

}  // namespace

}  // namespace shardmill::base
