#include "codec/gzip/salvage.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using testing::noise;
using testing::text_like;
using testing::through;

std::string saved_from(const std::string& bytes, std::uint64_t offset) {
  static const shardmill::testing::TemporaryFolder folder;
  const base::File file = base::File::open_read(folder.write("file.gz", bytes));
  GzipSalvage salvage(file, offset);
  std::string plain;
  for (auto span = salvage.read(); !span.empty(); span = salvage.read())
    plain.append(reinterpret_cast<const char*>(span.data()), span.size());
  return plain;
}

std::string member(const std::string& plain) {
  return through("gzip -c", plain);
}

TEST(GzipSalvage, GivesTheMembersAfterADamagedOne) {
  const std::string first = member(text_like(50'000, 1));
  std::string second = member(noise(300'000, 2));
  second[second.size() / 2] = static_cast<char>(second[second.size() / 2] ^ 1);
  const std::string third = text_like(3'000'000, 3);
  const std::string fourth = noise(70'000, 4);
  EXPECT_EQ(saved_from(first + second + member(third) + member(fourth), first.size() + 1), third + fourth);
}

TEST(GzipSalvage, IsNotDeceivedByWhatLooksLikeAHeader) {
  std::string junk;
  for (std::size_t i = 0; i < 300; ++i)
    junk += std::string("\x1f\x8b\x08", 3) + std::string(i % 7, '\0') + noise(20, 5);
  EXPECT_EQ(saved_from(junk + member("good") + junk, 0), "good");
}

TEST(GzipSalvage, GivesNothingOfAMemberThatIsCut) {
  const std::string whole = member(noise(100'000, 6));
  EXPECT_EQ(saved_from("x" + whole.substr(0, whole.size() - 3), 0), "");
  EXPECT_EQ(saved_from("", 0), "");
  EXPECT_EQ(saved_from("ab", 7), "");
}

}  // namespace
}  // namespace shardmill::codec
