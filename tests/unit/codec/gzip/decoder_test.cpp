#include "codec/gzip/decoder.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "codec/gzip/gzip_oracle.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {
namespace {

using testing::gzip_member;
using testing::text_like;
using testing::zlib_verdict;

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

/// A decoder with room for everything, which is told of a file a part at a time.
class Whole {
 public:
  explicit Whole(std::string file)
      : file_(std::move(file)), room_(kDeflateWindowBytes + (std::size_t{2} << 20)) {
    out.next = begin();
    out.end = room_.data() + room_.size();
  }

  /// The file up to `bytes`; from then on, nothing before the decoder's place is there.
  GzipEnd decode_to(std::size_t bytes, std::uint64_t stop_bit = kNowhere,
                    std::uint64_t wanted_bit = kNowhere) {
    const std::uint64_t offset = decoder->bit() / 8;
    const std::string_view part = std::string_view(file_).substr(static_cast<std::size_t>(offset),
                                                                 bytes - static_cast<std::size_t>(offset));
    // Bytes in memory of their own: reading behind them would be seen.
    const std::vector<std::byte> copy(base::as_bytes(part).begin(), base::as_bytes(part).end());
    return decoder->decode({.bytes = copy, .offset = offset, .last = bytes == file_.size()}, stop_bit,
                           wanted_bit, out);
  }
  GzipEnd decode(std::uint64_t stop_bit = kNowhere, std::uint64_t wanted_bit = kNowhere) {
    return decode_to(file_.size(), stop_bit, wanted_bit);
  }

  void exchange_decoder() {
    base::BinaryWriter saved;
    decoder->save(saved);
    const auto bytes = saved.take();
    base::BinaryReader in(bytes);
    decoder = std::make_unique<GzipDecoder>();
    decoder->restore(in);
  }

  std::string plain() const {
    return {reinterpret_cast<const char*>(begin()), static_cast<std::size_t>(out.next - begin())};
  }
  const std::string& file() const { return file_; }

  std::unique_ptr<GzipDecoder> decoder = std::make_unique<GzipDecoder>();
  GzipOutput out;

 private:
  std::uint8_t* begin() { return room_.data() + kDeflateWindowBytes; }
  const std::uint8_t* begin() const { return room_.data() + kDeflateWindowBytes; }

  std::string file_;
  std::vector<std::uint8_t> room_;
};

TEST(GzipDecoderTest, GivesWhatZlibGivesForWholeFilesAndDamagedOnes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string file = testing::some_gzip_file(random, 20'000);
    if (seed % 2 == 1) file[random() % file.size()] ^= static_cast<char>(1 << random() % 8);
    const auto verdict = zlib_verdict(file);
    Whole whole(file);
    EXPECT_EQ(whole.decode(), GzipEnd::input);
    EXPECT_EQ(whole.out.garbage_offset, verdict.garbage_offset);
    if (whole.out.damage) {
      EXPECT_EQ(whole.out.damage->problem, verdict.problem);
      EXPECT_EQ(whole.out.damage->offset, verdict.offset);
      EXPECT_EQ(whole.plain(), verdict.plain);
    } else if (verdict.problem.empty()) {
      EXPECT_EQ(whole.plain(), verdict.plain);
    } else {
      // Checksums and sizes are its caller's to compare.
      EXPECT_TRUE(verdict.problem.ends_with("incorrect data check") ||
                  verdict.problem.ends_with("incorrect length check"))
          << verdict.problem;
    }
  }
}

TEST(GzipDecoderTest, StretchesSayWhatTheirMemberMustBe) {
  const std::string one = text_like(5000);
  const std::string two = text_like(70'000, 2);
  Whole whole(gzip_member(one, {}) + gzip_member("", {}) + std::string(9, '\0') + gzip_member(two, {}));
  EXPECT_EQ(whole.decode(), GzipEnd::input);
  const auto& stretches = whole.out.stretches;
  ASSERT_EQ(stretches.size(), 4U);
  const std::string* const plain[] = {&one, nullptr, &two};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string expected = plain[i] == nullptr ? "" : *plain[i];
    EXPECT_TRUE(stretches[i].begins_member && stretches[i].ends_member && stretches[i].has_size) << i;
    EXPECT_EQ(stretches[i].bytes, expected.size()) << i;
    EXPECT_EQ(stretches[i].stored_size, expected.size()) << i;
    EXPECT_EQ(stretches[i].crc, gzip_crc(0, base::as_bytes(expected))) << i;
    EXPECT_EQ(stretches[i].stored_crc, stretches[i].crc) << i;
  }
  EXPECT_EQ(stretches[2].trailer_offset, whole.file().size() - 8);
  EXPECT_EQ(stretches[3].bytes, 0U);
  EXPECT_EQ(whole.decoder->window_bytes(), 0U);
}

TEST(GzipDecoderTest, InAnyPartsAndByAnyNumberOfDecoders) {
  for (const std::size_t step : {1U, 7U, 100U}) {
    Whole whole(gzip_member(text_like(9000), {.memory_level = 1, .full_header = true}) +
                std::string(3, '\0') + gzip_member(testing::noise(3000), {.level = 0}) +
                gzip_member("x", {}));
    for (std::size_t bytes = 0; bytes < whole.file().size(); bytes += step) {
      ASSERT_EQ(whole.decode_to(bytes), GzipEnd::input);
      whole.exchange_decoder();
    }
    EXPECT_EQ(whole.decode(), GzipEnd::input);
    EXPECT_FALSE(whole.out.damage);
    EXPECT_TRUE(whole.plain() == zlib_verdict(whole.file()).plain) << step;
  }
}

TEST(GzipDecoderTest, StopsWhereABlockBegins) {
  // An empty stored block behind every 2000 bytes: what follows begins at a whole byte.
  const std::string plain = text_like(20'000);
  Whole whole(gzip_member(plain, {.flush_every = 2000}));
  EXPECT_EQ(whole.decode(1), GzipEnd::block);
  EXPECT_TRUE(whole.decoder->at_block());
  EXPECT_EQ(whole.decoder->bit(), 80U);
  EXPECT_EQ(whole.plain(), "");
  EXPECT_EQ(whole.decode(8 * 1000), GzipEnd::block);
  const std::uint64_t there = whole.decoder->bit();
  EXPECT_GE(there, 8U * 1000);
  EXPECT_LT(whole.plain().size(), plain.size());

  Whole other(whole.file());
  EXPECT_EQ(other.decode(kNowhere, there), GzipEnd::block);
  EXPECT_EQ(other.decoder->bit(), there);
  EXPECT_EQ(other.plain(), whole.plain());
  EXPECT_EQ(other.decode(), GzipEnd::input);
  EXPECT_EQ(other.plain(), plain);
}

TEST(GzipDecoderTest, WithoutRoomItWaits) {
  Whole whole(gzip_member(text_like(40'000), {}));
  std::uint8_t* const end = whole.out.end;
  whole.out.end = whole.out.next + 1000;
  EXPECT_EQ(whole.decode(), GzipEnd::room);
  const std::size_t bytes = whole.plain().size();
  EXPECT_GT(bytes, 500U);
  EXPECT_LE(bytes, 1000U);
  EXPECT_EQ(whole.decoder->window_bytes(), bytes);
  whole.out.end = end;
  EXPECT_EQ(whole.decode(), GzipEnd::input);
  EXPECT_EQ(whole.plain(), text_like(40'000));
}

TEST(GzipDecoderTest, FilesThatAreNoGzip) {
  const auto damage = [](const std::string& file) {
    Whole whole(file);
    EXPECT_EQ(whole.decode(), GzipEnd::input);
    return whole.out.damage ? whole.out.damage->problem : "none";
  };
  EXPECT_EQ(damage(""), "none");
  EXPECT_EQ(damage(std::string(50, '\0')), "none");
  EXPECT_EQ(damage("text"), "damaged: no compressed data where it must begin");
  EXPECT_EQ(damage("\x1f"), "truncated: the file ends inside the header of a compressed stream");
  EXPECT_EQ(damage("\x1f\x8b\x08"), "truncated: the file ends inside a compressed stream");
}

TEST(GzipDecoderTest, WhoGaveUpDecodesNothing) {
  Whole whole(gzip_member("text", {}));
  whole.decoder->give_up();
  EXPECT_EQ(whole.decode(), GzipEnd::input);
  EXPECT_EQ(whole.plain(), "");
  EXPECT_FALSE(whole.out.damage);
}

}  // namespace
namespace {

TEST(GzipSecondOpinion, ZlibReadsOnInsideABlock) {
  const std::string file = testing::gzip_member(testing::text_like(60'000), {.memory_level = 9});
  const auto in = std::as_bytes(std::span(file));
  std::vector<std::uint8_t> plain(100'000);
  DeflateDecoder deflate;
  std::uint64_t bit = 80;
  for (const std::size_t room : {400U, 3'000U, 40'000U}) {
    DeflateOutput<std::uint8_t> out{plain.data(), plain.data(), plain.data() + room};
    deflate.begin();
    bit = 80;
    ASSERT_EQ(deflate.decode(in, bit, out), DeflateEnd::room);
    const auto all = std::span<const std::uint8_t>(plain.data(), out.next);
    const auto window = all.last(std::min(all.size(), kDeflateWindowBytes));
    EXPECT_FALSE(gzip_second_opinion(deflate, in, bit, window).is_damage) << room;
  }
}

TEST(GzipSecondOpinion, ZlibFindsTheDamageThere) {
  std::string file = testing::gzip_member(testing::text_like(60'000), {});
  file[10] = static_cast<char>(file[10] | 6);  // no kind of block
  const auto in = std::as_bytes(std::span(file));
  const GzipVerdict verdict = gzip_second_opinion(DeflateDecoder(), in, 80, {});
  EXPECT_TRUE(verdict.is_damage);
  EXPECT_EQ(verdict.problem, "invalid block type");
  EXPECT_EQ(verdict.consumed_bytes, 11U);
}

}  // namespace
}  // namespace shardmill::codec
