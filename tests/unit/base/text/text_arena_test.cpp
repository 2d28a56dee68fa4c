#include "base/text/text_arena.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace shardmill::base {
namespace {

TEST(TextArena, KeepsWhatItWasGiven) {
  TextArena arena;
  std::vector<std::string> texts;
  std::vector<std::string_view> kept;
  for (std::size_t i = 0; i < 3000; ++i) {
    texts.push_back(std::string(i % 700, static_cast<char>('a' + i % 26)));
    kept.push_back(arena.keep(texts.back()));
  }
  kept.push_back(arena.keep(texts.emplace_back(1'000'000, 'x')));
  const TextArena moved = std::move(arena);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(kept[i], texts[i]);
}

}  // namespace
}  // namespace shardmill::base
