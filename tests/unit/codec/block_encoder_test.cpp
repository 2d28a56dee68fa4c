#include "codec/block_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace shardmill::codec {
namespace {

/// Writes "[block]", and "[block]." for the last.
class Recorder final : public BlockEncoder {
 public:
  Recorder(std::size_t block_bytes, std::string& out) : BlockEncoder(block_bytes), out_(out) {}

 private:
  void encode(std::span<const std::byte> block, bool last) override {
    out_ +=
        '[' + std::string(reinterpret_cast<const char*>(block.data()), block.size()) + (last ? "]." : "]");
  }

  std::string& out_;
};

std::string encoded(std::string_view plain, std::size_t block_bytes, std::size_t cut) {
  std::string out;
  Recorder encoder(block_bytes, out);
  for (; !plain.empty(); plain.remove_prefix(std::min(cut, plain.size())))
    encoder.write(base::as_bytes(plain.substr(0, cut)));
  encoder.write({});
  encoder.finish();
  return out;
}

TEST(BlockEncoder, AllBlocksButTheLastAreFull) {
  EXPECT_EQ(encoded("abcdefg", 3, 7), "[abc][def][g].");
  EXPECT_EQ(encoded("abcdef", 3, 6), "[abc][def][].");
  EXPECT_EQ(encoded("ab", 3, 2), "[ab].");
  EXPECT_EQ(encoded("", 3, 1), "[].");
}

TEST(BlockEncoder, BlocksDoNotDependOnTheCutOfTheInput) {
  std::string plain;
  while (plain.size() < 61) plain += static_cast<char>('a' + plain.size() % 26);
  for (std::size_t block_bytes = 1; block_bytes <= 20; ++block_bytes) {
    const std::string whole = encoded(plain, block_bytes, plain.size());
    for (std::size_t cut = 1; cut < plain.size(); ++cut)
      EXPECT_EQ(encoded(plain, block_bytes, cut), whole) << cut;
  }
}

}  // namespace
}  // namespace shardmill::codec
