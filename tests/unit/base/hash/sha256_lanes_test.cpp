#include "base/hash/sha256_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace shardmill::base {
namespace {

using Text = std::vector<std::byte>;

/// Texts for some streams, cut into pieces of random length, which are rarely whole blocks.
struct Load {
  explicit Load(unsigned seed) : random(seed) {}

  std::size_t number(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); }

  void make(std::size_t streams) {
    texts.assign(streams, {});
    hashes.assign(streams, {});
    feeds.resize(streams);
    for (std::size_t i = 0; i < streams; ++i) {
      texts[i].resize(number(5000));
      for (std::byte& byte : texts[i]) byte = static_cast<std::byte>(random());
      feeds[i].stream = &hashes[i];
      for (std::size_t at = 0; at < texts[i].size();) {
        const std::size_t bytes = std::min(texts[i].size() - at, number(900));
        feeds[i].pieces.push_back(std::span(texts[i]).subspan(at, bytes));
        at += bytes;
      }
    }
  }

  std::mt19937 random;
  std::vector<Text> texts;
  std::vector<Sha256> hashes;
  std::vector<Sha256Feed> feeds;
};

std::size_t bytes_left(const Sha256Feed& feed) {
  std::size_t bytes = 0;
  for (std::size_t i = feed.next; i < feed.pieces.size(); ++i) bytes += feed.pieces[i].size();
  return bytes;
}

class Sha256LanesTest : public ::testing::TestWithParam<VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Sha256LanesTest, ::testing::ValuesIn(available_vector_paths()),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(Sha256LanesTest, GivesEveryStreamWhatItWouldHaveAlone) {
  const Sha256Lanes lanes(GetParam());
  for (unsigned seed = 0; seed < 200; ++seed) {
    Load load(seed);
    load.make(seed % 41);
    lanes.update(load.feeds);
    for (std::size_t i = 0; i < load.feeds.size(); ++i) {
      const Text& text = load.texts[i];
      Sha256 begun;
      begun.update(std::span(text).first(text.size() - bytes_left(load.feeds[i])));
      EXPECT_EQ(load.hashes[i].state(), begun.state()) << seed << " " << i;
      load.feeds[i].finish();
      EXPECT_EQ(to_hex(load.hashes[i].digest()), sha256_hex(text)) << seed << " " << i;
    }
  }
}

TEST_P(Sha256LanesTest, LeavesOnlyWhatDoesNotPay) {
  const Sha256Lanes lanes(GetParam());
  Load load(7);
  load.make(100);
  lanes.update(load.feeds);
  const auto left = static_cast<std::size_t>(
      std::ranges::count_if(load.feeds, [](const Sha256Feed& feed) { return bytes_left(feed) > 0; }));
  EXPECT_FALSE(lanes.pays(left));
  EXPECT_EQ(load.feeds[0].next > 0, lanes.pays(100));
}

TEST_P(Sha256LanesTest, GoesOnWhereAStreamStood) {
  const Sha256Lanes lanes(GetParam());
  const Text text(3000, std::byte{0x5a});
  std::vector<Sha256> hashes(16);
  std::vector<Sha256Feed> feeds(16);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    hashes[i].update(std::span(text).first(i * 9));  // most of them inside a block
    feeds[i] = {.stream = &hashes[i], .pieces = {std::span(text).subspan(i * 9)}};
  }
  lanes.update(feeds);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    feeds[i].finish();
    EXPECT_EQ(to_hex(hashes[i].digest()), sha256_hex(text)) << i;
  }
}

}  // namespace
}  // namespace shardmill::base
