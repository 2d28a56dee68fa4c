#include "codec/reference_speed.hpp"

#include <gtest/gtest.h>

#include "codec/bzip2/library.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

std::string decoded(std::string_view compressed, Progress& last) {
  MultiStreamDecoder decoder(make_bzip2_library_decoder());
  std::span<const std::byte> rest = base::as_bytes(compressed);
  std::vector<std::byte> buffer(1000);
  std::string plain;
  do {
    const auto in = rest.first(std::min<std::size_t>(rest.size(), 700));
    last = decoder.decode(in, buffer, in.size() == rest.size());
    rest = rest.subspan(last.consumed);
    plain.append(reinterpret_cast<const char*>(buffer.data()), last.produced);
  } while (last.problem.empty() && (!rest.empty() || last.produced > 0));
  return plain;
}

TEST(Bzip2Library, DecodesAllStreamsOfAFile) {
  const std::string first = testing::text_like(300'000);
  const std::string second = testing::noise(1'000);
  Progress last;
  EXPECT_EQ(decoded(testing::through("bzip2 -c", first) + testing::through("bzip2 -c", second), last),
            first + second);
  EXPECT_EQ(last.problem, "");
}

TEST(Bzip2Library, TellsDamage) {
  std::string compressed = testing::through("bzip2 -c", testing::text_like(300'000));
  Progress last;
  decoded(std::string_view(compressed).substr(0, compressed.size() / 2), last);
  EXPECT_NE(last.problem.find("truncated"), std::string::npos) << last.problem;
  compressed[compressed.size() / 2] ^= 4;
  decoded(compressed, last);
  EXPECT_NE(last.problem.find("damaged"), std::string::npos) << last.problem;
}

class ReferenceSpeedOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceSpeedOf, EveryCodecIsMeasured) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", testing::through(GetParam(), testing::text_like(2'000'000)));
  const ReferenceSpeed speed = reference_speed(base::File::open_read(path));
  EXPECT_GT(speed.copied_bytes_per_second, 1e7);
  EXPECT_GT(speed.decoded_bytes_per_second, 1e5);
  // Nothing decodes as fast as memory is copied, but a codec that hardly compresses may come near.
  EXPECT_LT(speed.decoded_bytes_per_second, 20 * speed.copied_bytes_per_second);
}

INSTANTIATE_TEST_SUITE_P(Codecs, ReferenceSpeedOf,
                         ::testing::Values("cat", "bzip2 -c", "gzip -c", "xz -0c", "zstd -qc", "lz4 -qc"));

TEST(ReferenceSpeed, OfGarbageIsZero) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", "BZh9 and nothing that a decoder knows");
  EXPECT_EQ(reference_speed(base::File::open_read(path)).decoded_bytes_per_second, 0);
}

}  // namespace
}  // namespace shardmill::codec
