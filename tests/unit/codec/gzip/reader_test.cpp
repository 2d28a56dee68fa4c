#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/gzip_oracle.hpp"
#include "codec/input.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using testing::DeflateWay;
using ::testing::ElementsAre;
using testing::gzip_member;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::noise;
using testing::Outcome;
using testing::read_bytes;
using testing::Schedule;
using testing::text_like;
using testing::through;
using testing::zlib_verdict;

constexpr Schedule kAllSchedules[] = {Schedule::in_order, Schedule::random, Schedule::threads,
                                      Schedule::overlapping, Schedule::reading_only};

Outcome read_cut(const std::string& file, Schedule schedule, const GzipSizes& sizes,
                 bool ignore_trailing = false) {
  const auto open = [&](base::File& opened, TrailingSink on_trailing) {
    return make_gzip_reader(Input(opened), std::move(on_trailing), {}, sizes);
  };
  return testing::read_bytes_by(open, file, schedule, ignore_trailing);
}

/// However it is cut and whoever decodes what first, a file gives what zlib makes of it: bytes, problem,
/// place. After damage it may give more, the members that are still whole: always the same.
void expect_as_zlib(const std::string& file, const GzipSizes& sizes) {
  const testing::ZlibVerdict verdict = zlib_verdict(file);
  std::vector<std::uint64_t> piece_plain_bytes;
  std::string plain;
  for (const Schedule schedule : kAllSchedules) {
    const Outcome outcome = read_cut(file, schedule, sizes);
    if (schedule == kAllSchedules[0]) {
      piece_plain_bytes = outcome.piece_plain_bytes;
      plain = outcome.plain;
    }
    ASSERT_TRUE(outcome.plain == plain);
    ASSERT_TRUE(outcome.plain.starts_with(verdict.sound));
    if (outcome.errors.empty()) {
      ASSERT_EQ(outcome.plain.size(), verdict.plain.size());
    }
    ASSERT_EQ(outcome.piece_plain_bytes, piece_plain_bytes);
    if (verdict.garbage_offset) {
      const std::string place = "offset " + std::to_string(*verdict.garbage_offset) + ": ";
      ASSERT_THAT(outcome.errors,
                  ElementsAre(HasSubstr(place + "damaged: the bytes after the end of a compressed stream")));
      ASSERT_THAT(read_cut(file, schedule, sizes, true).warnings, ElementsAre(HasSubstr(place + "trailing")));
    } else if (verdict.problem.empty()) {
      ASSERT_THAT(outcome.errors, IsEmpty());
    } else {
      const std::string place = "offset " + std::to_string(verdict.offset) + ": ";
      ASSERT_THAT(outcome.errors, ElementsAre(HasSubstr(place + verdict.problem)));
    }
  }
}

GzipSizes some_sizes(std::mt19937_64& random) {
  GzipSizes sizes;
  sizes.slice_bytes = 1500 + random() % 20'000;
  sizes.overlap_bytes = 1024 + random() % 3000;
  sizes.plain_bytes = 1024 + random() % 100'000;
  return sizes;
}

TEST(GzipReader, ReadsEverythingThatZlibWrites) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::string file = testing::some_gzip_file(random, 200'000);
    ASSERT_NO_FATAL_FAILURE(expect_as_zlib(file, some_sizes(random)));
  }
}

TEST(GzipReader, FindsTheSameDamageAsZlib) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string file = testing::some_gzip_file(random, 60'000);
    const std::size_t place = random() % file.size();
    if (random() % 4 == 0) {
      file.resize(place);
    } else {
      file[place] = static_cast<char>(file[place] ^ (1 << random() % 8));
    }
    if (file.size() < 2 || detect(base::as_bytes(file)) != Codec::gzip) continue;
    ASSERT_NO_FATAL_FAILURE(expect_as_zlib(file, some_sizes(random)));
  }
}

TEST(GzipReader, FindsTheSameInEveryTruncatedFile) {
  const std::string file = gzip_member(text_like(1'200), {.full_header = true}) +
                           gzip_member(noise(900), {.level = 0}) + std::string(5, '\0') +
                           gzip_member(text_like(700), {.strategy = Z_FIXED});
  for (std::size_t size = 2; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    const testing::ZlibVerdict verdict = zlib_verdict(file.substr(0, size));
    const Outcome outcome = read_cut(file.substr(0, size), Schedule::random,
                                     {.slice_bytes = 1024, .overlap_bytes = 1024, .plain_bytes = 1024});
    ASSERT_EQ(outcome.plain, verdict.plain);
    ASSERT_EQ(outcome.errors.empty(), verdict.problem.empty());
    if (!outcome.good()) {
      EXPECT_THAT(outcome.errors[0], HasSubstr("offset " + std::to_string(size) + ": " + verdict.problem));
    }
  }
}

TEST(GzipReader, AWrongChecksumComesBeforeTheEndOfTheFile) {
  std::string file = gzip_member(text_like(1'000), {});
  file[file.size() - 7] = static_cast<char>(file[file.size() - 7] ^ 1);
  for (const std::size_t missing : {0U, 1U, 3U, 4U, 5U, 8U}) {
    SCOPED_TRACE(missing);
    ASSERT_NO_FATAL_FAILURE(expect_as_zlib(file.substr(0, file.size() - missing), {}));
  }
}

TEST(GzipReader, FindsTheSameBehindEveryFlippedBit) {
  const std::string file = gzip_member(text_like(2'500), {.memory_level = 1, .full_header = true}) +
                           gzip_member(text_like(900, 3), {.level = 9});
  for (std::size_t bit = 16; bit < file.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const testing::ZlibVerdict verdict = zlib_verdict(flipped);
    const Outcome outcome = read_cut(flipped, Schedule::random, {.slice_bytes = 1024, .overlap_bytes = 1024});
    ASSERT_EQ(outcome.plain, verdict.sound);
    ASSERT_EQ(outcome.good(), verdict.problem.empty() && !verdict.garbage_offset);
    if (!verdict.problem.empty()) {
      EXPECT_THAT(outcome.errors[0],
                  HasSubstr("offset " + std::to_string(verdict.offset) + ": " + verdict.problem));
    }
  }
}

TEST(GzipReader, NothingOfASmallMemberIsGivenUnlessItsChecksumIsRight) {
  const auto member = [](std::size_t bytes, std::uint64_t seed) {
    return gzip_member(noise(bytes, static_cast<unsigned>(seed)), {.level = 0});
  };
  for (const std::size_t bytes : {1'000U, 65'000U, 65'536U, 65'537U, 200'000U}) {
    for (const GzipSizes& sizes : {GzipSizes{}, GzipSizes{.slice_bytes = 20'000, .plain_bytes = 3'000}}) {
      SCOPED_TRACE(bytes);
      const std::string before = member(50'000, 1) + member(300'000, 2) + member(4'000, 3);
      const std::string damaged = member(bytes, 4);
      std::string file = before + damaged + member(7'000, 5);
      file[before.size() + damaged.size() - 20] ^= 1;  // among its last bytes
      const std::string good = noise(50'000, 1) + noise(300'000, 2) + noise(4'000, 3);
      for (const Schedule schedule : kAllSchedules) {
        const Outcome outcome = read_cut(file, schedule, sizes);
        const bool is_small = bytes <= 65'536;
        const std::size_t given = good.size() + (is_small ? 0 : bytes);
        ASSERT_TRUE(outcome.plain.starts_with(good));
        ASSERT_GE(outcome.plain.size(), given);
        // The member after it is given where another piece is left to give it.
        const std::string rest = outcome.plain.substr(given);
        ASSERT_TRUE(rest.empty() || rest == noise(7'000, 5));
        ASSERT_EQ(outcome.errors.size(), 1U);
        ASSERT_THAT(outcome.errors[0], HasSubstr("incorrect data check"));
        ASSERT_EQ(outcome.errors[0].find("may be wrong, too") == std::string::npos, is_small);
      }
    }
  }
}

TEST(GzipReader, ReadsWhatProgramsWriteInAnyOrder) {
  const std::string plain = text_like(3'000'000) + noise(3'000'000) + text_like(2'000'000, 2);
  for (const char* const program : {"gzip -1c", "gzip -6c", "pigz -c", "pigz -ic", "bgzip -c"}) {
    const std::string file = through(program, plain);
    for (const Schedule schedule : {Schedule::random, Schedule::threads, Schedule::overlapping}) {
      const Outcome outcome = read_bytes(file, schedule);
      EXPECT_THAT(outcome.errors, IsEmpty()) << program;
      EXPECT_TRUE(outcome.plain == plain) << program;
    }
  }
}

/// A member whose data refer to what should come before it, and does not.
std::string member_with_dictionary(const std::string& dictionary, const std::string& plain) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 4, Z_DEFAULT_STRATEGY);
  deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dictionary.data()),
                       static_cast<uInt>(dictionary.size()));
  std::string packed(plain.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + packed + std::string(8, '\0');
}

TEST(GzipReader, NothingIsReadBeforeTheBeginningOfAMember) {
  // The second slice begins inside the header of the second member. So its first block is decoded by guess,
  // with all that it refers to still unknown. But there is nothing.
  const std::string first = gzip_member(noise(20'000), {});
  const std::string dictionary = text_like(30'000);
  std::string plain;
  for (std::size_t i = 0; i < 20'000; i += 20) plain += dictionary.substr(i, 15) + std::to_string(i * i);
  for (const std::string& more : {std::string(), text_like(200'000, 5)}) {
    const std::string file = first + member_with_dictionary(dictionary, plain + more);
    for (std::size_t bytes = 1; bytes < 10; ++bytes) {
      SCOPED_TRACE(bytes);
      ASSERT_NO_FATAL_FAILURE(
          expect_as_zlib(file, {.slice_bytes = first.size() + bytes, .overlap_bytes = 3000}));
    }
  }
}

/// What the pieces gave, from the one at `from` on.
struct Given {
  std::string plain;
  std::string problem;
  RestartPoint restart_point;
  bool operator==(const Given&) const = default;
};

std::vector<Given> read_from(base::File& file, const GzipSizes& sizes, const RestartPoint& from) {
  const auto reader = make_gzip_reader(Input(file), {}, from, sizes);
  std::vector<Given> all;
  while (const auto piece = reader->next()) {
    piece->prepare();
    Given given{.plain = {}, .problem = {}, .restart_point = piece->restart_point()};
    try {
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        given.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    } catch (const Error& error) {
      given.problem = error.what();
    }
    all.push_back(std::move(given));
  }
  return all;
}

TEST(GzipReader, BeginsAtAnyPieceOfAnyFile) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string content = testing::some_gzip_file(random, 60'000);
    if (seed % 3 == 0) content[3 + random() % (content.size() - 3)] ^= 0x10;
    const shardmill::testing::TemporaryFolder folder;
    base::File file = base::File::open_read(folder.write("file", content));
    const GzipSizes sizes = some_sizes(random);
    const std::vector<Given> all = read_from(file, sizes, {});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<Given> rest = read_from(file, sizes, all[i].restart_point);
      ASSERT_TRUE(
          std::equal(all.begin() + static_cast<std::ptrdiff_t>(i), all.end(), rest.begin(), rest.end()))
          << "from piece " << i;
    }
  }
}

TEST(GzipReader, ABombIsReadInSmallSpans) {
  const std::string file = gzip_member(std::string(100'000'000, '\0'), {.level = 1});
  const Outcome outcome = read_bytes(file + file, Schedule::random);
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_EQ(outcome.plain.size(), 200'000'000U);
  EXPECT_LE(outcome.largest_span, std::size_t{4} << 20);
}

}  // namespace
}  // namespace shardmill::codec
