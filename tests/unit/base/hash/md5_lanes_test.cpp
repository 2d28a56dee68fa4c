#include "base/hash/md5_lanes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
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
