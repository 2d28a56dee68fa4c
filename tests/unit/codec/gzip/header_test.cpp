#include "codec/gzip/header.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <string>

#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "codec/gzip/gzip_oracle.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {

namespace {

std::uint32_t by_zlib(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

TEST(GzipChecksum, TheCheckValueOfCrc32) {
  EXPECT_EQ(gzip_crc(0, base::as_bytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(gzip_crc(0, {}), 0u);
  EXPECT_EQ(gzip_crc(0x12345678, {}), 0x12345678u);
  EXPECT_EQ(plain_gzip_crc(0x12345678, {}), 0x12345678u);
}

TEST(GzipChecksum, IsThatOfZlibForAnyLengthAndPlace) {
  const std::string data = testing::noise(3000);
  for (std::uint32_t begin = 0; begin < 17; ++begin) {
    for (std::size_t size = 0; size < 300; ++size) {
      const auto part = std::string_view(data).substr(begin, size);
      ASSERT_EQ(gzip_crc(0, base::as_bytes(part)), by_zlib(part)) << begin << ", " << size;
      ASSERT_EQ(plain_gzip_crc(begin, base::as_bytes(part)), gzip_crc(begin, base::as_bytes(part)));
    }
    EXPECT_EQ(gzip_crc(0, base::as_bytes(std::string_view(data).substr(begin))), by_zlib(data.substr(begin)));
  }
}

TEST(GzipChecksum, GoesOnAndJoinsAtAnyPlace) {
  const std::string_view data = "what comes first, and what comes behind it";
  const std::uint32_t whole = by_zlib(data);
  for (std::size_t cut = 0; cut <= data.size(); ++cut) {
    const std::uint32_t first = gzip_crc(0, base::as_bytes(data.substr(0, cut)));
    const auto behind = base::as_bytes(data.substr(cut));
    EXPECT_EQ(gzip_crc(first, behind), whole) << cut;
    EXPECT_EQ(joined_gzip_crc(first, gzip_crc(0, behind), behind.size()), whole) << cut;
  }
}

TEST(GzipChecksum, JoinsStretchesOfMoreThanFourGibibytes) {
  // Doubled again and again: the checksum of 8 GiB from that of one MiB.
  const std::string mebibyte(std::size_t{1} << 20, 'x');
  std::uint32_t crc = gzip_crc(0, base::as_bytes(mebibyte));
  std::uint64_t bytes = mebibyte.size();
  const std::uint32_t first = crc;
  for (; bytes < std::uint64_t{8} << 30; bytes *= 2) crc = joined_gzip_crc(crc, crc, bytes);
  // However it is put together, it is the same.
  EXPECT_EQ(joined_gzip_crc(first, crc, bytes), joined_gzip_crc(crc, first, mebibyte.size()));
}

}  // namespace

namespace {

struct Verdict {
  std::size_t bytes = 0;  // of the header, or up to the problem
  bool is_whole = false;
  std::string problem;
  bool operator==(const Verdict&) const = default;
};

Verdict ours(std::string_view file, std::size_t step) {
  GzipHeader header;
  Verdict verdict;
  while (verdict.bytes < file.size() && !header.is_whole() && header.problem() == nullptr)
    verdict.bytes += header.feed(base::as_bytes(file.substr(verdict.bytes, step)));
  verdict.is_whole = header.is_whole();
  if (header.problem() != nullptr) verdict.problem = header.problem();
  return verdict;
}

/// What zlib makes of the header, given a byte at a time. It may look at more than it says.
Verdict zlibs(std::string_view file) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  gz_header seen{};
  inflateGetHeader(&stream, &seen);
  std::array<Bytef, 1> out{};
  Verdict verdict;
  for (std::size_t i = 0; i < file.size() && seen.done == 0; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data() + i));
    stream.avail_in = 1;
    stream.next_out = out.data();
    stream.avail_out = 1;
    verdict.bytes = i + 1;
    if (inflate(&stream, Z_BLOCK) < 0 && stream.msg != nullptr) {
      verdict.problem = stream.msg;
      break;
    }
  }
  verdict.is_whole = seen.done == 1;
  inflateEnd(&stream);
  return verdict;
}

/// A header with the fields that `flags` names: 2 a checksum, 4 extra bytes, 8 a name, 16 a comment.
std::string header_with(unsigned flags, std::size_t extra_bytes = 5) {
  std::string header = {'\x1f', '\x8b', 8, static_cast<char>(flags), 1, 2, 3, 4, 0, 3};
  if ((flags & 4) != 0) {
    header += static_cast<char>(extra_bytes & 255);
    header += static_cast<char>(extra_bytes >> 8);
    header.append(extra_bytes, '\0');
  }
  if ((flags & 8) != 0) header += std::string("name.tar") + '\0';
  if ((flags & 16) != 0) header += std::string("n\xE4mlich") + '\0';
  if ((flags & 2) != 0) {
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
    header += static_cast<char>(crc & 255);
    header += static_cast<char>(crc >> 8 & 255);
  }
  return header;
}

const std::string kDeflate("\x03\0\0\0\0\0\0\0\0\0", 10);  // an empty block, and its trailer

TEST(GzipHeaderTest, EveryMixOfItsFields) {
  for (unsigned flags = 0; flags < 32; ++flags) {
    for (const std::size_t extra : {0U, 1U, 5U, 300U, 65'535U}) {
      if (extra != 5 && (flags & 4) == 0) continue;
      const std::string header = header_with(flags, extra);
      const Verdict whole{.bytes = header.size(), .is_whole = true, .problem = {}};
      EXPECT_EQ(ours(header + kDeflate, 100'000), whole) << flags << ", " << extra;
      EXPECT_EQ(ours(header + kDeflate, 1), whole) << flags << ", " << extra;
      EXPECT_EQ(zlibs(header + kDeflate), whole) << flags << ", " << extra;
      // Without its last byte, it is neither whole nor wrong.
      EXPECT_EQ(ours(header.substr(0, header.size() - 1), 7),
                (Verdict{.bytes = header.size() - 1, .is_whole = false, .problem = {}}));
    }
  }
}

TEST(GzipHeaderTest, ZlibSaysTheSameOfEveryFlippedBit) {
  for (const unsigned flags : {0U, 2U, 31U}) {
    const std::string file = header_with(flags) + kDeflate;
    for (std::size_t bit = 16; bit < 8 * header_with(flags).size(); ++bit) {
      std::string flipped = file;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      const Verdict verdict = zlibs(flipped);
      const Verdict mine = ours(flipped, 3);
      EXPECT_EQ(mine.problem, verdict.problem) << flags << ", bit " << bit;
      EXPECT_EQ(mine.is_whole, verdict.is_whole) << flags << ", bit " << bit;
      if (verdict.problem.empty()) {
        EXPECT_EQ(mine.bytes, verdict.bytes) << flags << ", bit " << bit;
      }
    }
  }
}

TEST(GzipHeaderTest, ProblemsAreNamed) {
  std::string header = header_with(2);
  header.back() = static_cast<char>(header.back() ^ 1);
  EXPECT_EQ(ours(header, 100).problem, "header crc mismatch");
  header = header_with(0);
  header[2] = 9;
  EXPECT_EQ(ours(header, 100).problem, "unknown compression method");
  header = header_with(0x20);
  EXPECT_EQ(ours(header, 100).problem, "unknown header flags set");
}

TEST(GzipHeaderTest, AnotherGoesOnAtAnyByte) {
  const std::string header = header_with(31);
  for (std::size_t cut = 0; cut < header.size(); ++cut) {
    GzipHeader first;
    EXPECT_EQ(first.feed(base::as_bytes(header.substr(0, cut))), cut);
    base::BinaryWriter saved;
    first.save(saved);
    const auto bytes = saved.take();
    base::BinaryReader in(bytes);
    GzipHeader second;
    second.restore(in);
    EXPECT_EQ(second.feed(base::as_bytes(header.substr(cut) + kDeflate)), header.size() - cut);
    EXPECT_TRUE(second.is_whole()) << cut;
    EXPECT_EQ(second.problem(), nullptr) << cut;
  }
}

}  // namespace

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
