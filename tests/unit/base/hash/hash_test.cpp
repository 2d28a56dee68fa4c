#include "base/hash/hash.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {

namespace {

using shardmill::testing::command_output;

std::string noise(std::size_t bytes) {
  std::mt19937 random(static_cast<unsigned>(bytes));
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Hash, AgreesWithTheProgramsAtEveryLengthClass) {
  const shardmill::testing::TemporaryFolder folder;
  for (const std::size_t bytes :
       {0u, 1u, 3u, 9u, 16u, 17u, 55u, 56u, 63u, 64u, 65u, 128u, 129u, 240u, 241u, 1000u, 1u << 20}) {
    const std::string text = noise(bytes);
    const std::string path = folder.write("data", text);
    for (const VectorPath path_of_code : available_vector_paths()) {
      EXPECT_EQ(xxh3_128(as_bytes(text), path_of_code).hex(),
                command_output("xxh128sum < " + path).substr(0, 32))
          << bytes << " " << name(path_of_code);
    }
    EXPECT_EQ(sha256_hex(as_bytes(text)), command_output("sha256sum < " + path).substr(0, 64)) << bytes;
  }
}

TEST(Hash, Sha256GoesOnFromItsStateAtAnyCut) {
  const std::string text = noise(1000);
  const auto all = as_bytes(text);
  for (std::size_t cut = 0; cut <= 300; ++cut) {
    Sha256 first;
    first.update(all.first(cut));
    Sha256 second = Sha256::from_state(first.state());
    EXPECT_EQ(second.digest(), first.digest());
    second.update(all.subspan(cut));
    ASSERT_EQ(to_hex(second.digest()), sha256_hex(all)) << cut;
  }
}

TEST(Hash, Sha256StateTellsOnlyOfTheStream) {
  const std::string text = noise(200);
  const auto all = as_bytes(text);
  Sha256 whole;
  whole.update(all);
  Sha256 bytewise;
  for (std::size_t i = 0; i < all.size(); ++i) bytewise.update(all.subspan(i, 1));
  EXPECT_EQ(whole.state(), bytewise.state());
}

TEST(Hash, Sha256CountsBitsBeyond32BitsAcrossStates) {
  const std::vector<std::byte> zeros(std::size_t{130} << 20);
  Sha256 sha;
  for (int i = 0; i < 4; ++i) {
    sha.update(zeros);
    sha = Sha256::from_state(sha.state());
  }
  EXPECT_EQ(to_hex(sha.digest()), command_output("head -c 520M /dev/zero | sha256sum").substr(0, 64));
}

TEST(Hash, HexGoesBothWaysAndIsStrict) {
  const auto hash = xxh3_128({});
  EXPECT_EQ(hash.hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(Xxh128::from_hex(hash.hex()), hash);
  EXPECT_FALSE(Xxh128::from_hex("99AA06d3014798d86001c324468d497f"));
  EXPECT_FALSE(Xxh128::from_hex("99aa06d3014798d86001c324468d497"));
  EXPECT_FALSE(Xxh128::from_hex("99aa06d3014798d86001c324468d49 f"));
}

}  // namespace

namespace {

TEST(Hash, Base64IsThatOfTheStandard) {
  // RFC 4648, section 10, and digits above 61.
  const std::vector<std::pair<std::string, std::string>> known{{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"},
                                                               {"\xfb\xff\xfe", "+//+"}};
  for (const auto& [bytes, text] : known) EXPECT_EQ(to_base64(as_bytes(bytes)), text) << text;
}

TEST(RunningHash, IsWhatXxhsumPrints) {
  RunningHash hash;
  EXPECT_EQ(hash.digest(), 0xef46db3751d8e999u);
  hash.update("a");
  EXPECT_EQ(hash.digest(), 0xd24ec4f1a98c6e5bu);
}

TEST(RunningHash, DoesNotDependOnHowTheBytesCame) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * i);
  RunningHash whole;
  whole.update(text);
  RunningHash pieces;
  for (std::size_t at = 0, step = 1; at < text.size(); at += step++) pieces.update(text.substr(at, step));
  const RunningHash copy = pieces;
  EXPECT_EQ(pieces.digest(), whole.digest());
  pieces.update("x");
  EXPECT_NE(pieces.digest(), whole.digest());
  EXPECT_EQ(copy.digest(), whole.digest());
  EXPECT_EQ(quick_hash(std::as_bytes(std::span(text.data(), text.size()))), whole.digest());
}

}  // namespace

}  // namespace shardmill::base
