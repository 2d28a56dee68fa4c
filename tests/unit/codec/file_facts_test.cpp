#include "codec/file_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec.hpp"
#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {

namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

constexpr std::size_t kPlainBytes = 3'345'678;

/// Noise that every codec can make about 0.7 of, like speech.
std::string speech_like(std::size_t bytes) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 600);
  std::string text(bytes, '\0');
  double level = 0;
  for (std::size_t i = 0; i + 1 < bytes; i += 2) {
    level = 0.9 * level + noise(random) * (1 + std::sin(static_cast<double>(i) / 60000));
    const auto sample = static_cast<int>(level);
    text[i] = static_cast<char>(sample & 0xFF);
    text[i + 1] = static_cast<char>(sample >> 8);
  }
  return text;
}

std::uint64_t estimate_of(const std::string& path) {
  return estimate_plain_bytes(base::File::open_read(path));
}

struct Estimate {
  const char* command;  // from "plain" to standard output
  double tolerance;     // relative
};

class PlainEstimate : public ::testing::TestWithParam<Estimate> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    folder_->write("plain", speech_like(kPlainBytes));
  }
  static void TearDownTestSuite() { delete folder_; }

  static TemporaryFolder* folder_;
};

TemporaryFolder* PlainEstimate::folder_ = nullptr;

TEST_P(PlainEstimate, ComesCloseEnough) {
  command_output("cd " + folder_->path().string() + " && " + GetParam().command + " > packed");
  const auto estimate = static_cast<double>(estimate_of(folder_->file("packed")));
  EXPECT_NEAR(estimate / kPlainBytes, 1, GetParam().tolerance) << GetParam().command;
}

constexpr double kExact = 1e-9;
INSTANTIATE_TEST_SUITE_P(
    AllCodecs, PlainEstimate,
    ::testing::Values(
        Estimate{"cat plain", kExact}, Estimate{"bzip2 -c plain", 0.05}, Estimate{"bzip2 -1 -c plain", 0.05},
        Estimate{"pbzip2 -p2 -c plain", 0.05}, Estimate{"gzip -c plain", kExact},
        Estimate{"xz -0 -c plain", kExact}, Estimate{"xz -0 --block-size=1000000 -c plain", kExact},
        Estimate{"(xz -0 -c plain; head -c 300000 plain | xz -0)", 0.35},
        Estimate{"zstd -q -c plain", kExact}, Estimate{"zstd -q -c < plain", 0.05},
        Estimate{"zstd -q -c --no-check plain", kExact}, Estimate{"zstd -q -B1MB -T2 -c plain", kExact},
        Estimate{"split -b 1000000 --filter='zstd -q -c' plain", 0.05},
        Estimate{"(printf 'P*M\\030\\004\\000\\000\\000abcd'; zstd -q -c plain)", 0.001},
        Estimate{"lz4 -q -B6 -c plain", 0.05}, Estimate{"lz4 -q -B4 -c plain", 0.01},
        Estimate{"lz4 -q -B4 -BX -c plain", 0.01}, Estimate{"lz4 -q --content-size -c plain", kExact}));

TEST(PlainEstimateOfOddFiles, SmallEmptyAndCutFilesGiveSomethingSensible) {
  const TemporaryFolder folder;
  EXPECT_EQ(estimate_of(folder.write("zero", "")), 0u);
  EXPECT_EQ(estimate_of(folder.write("text", "abc")), 3u);
  folder.write("small", std::string(1000, 'x'));
  for (const char* packer : {"bzip2", "gzip", "xz", "zstd -q", "lz4 -q"}) {
    const std::string whole = command_output(std::string(packer) + " -c < " + folder.file("small"));
    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
      const auto estimate = estimate_of(folder.write("cut", whole.substr(0, bytes)));
      ASSERT_LE(estimate, 1100 * bytes) << packer;
    }
  }
}

TEST(PlainEstimateOfOddFiles, AbsurdClaimsAreBounded) {
  const TemporaryFolder folder;
  // A zstd frame that says it holds 2^63 bytes.
  const std::string zstd("\x28\xB5\x2F\xFD\xE0\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00", 16);
  EXPECT_EQ(estimate_of(folder.write("a", zstd)), 1100u * 16);
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string text(64, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const char* magics[] = {"BZh9", "\x1F\x8B\x08\x00", "\xFD\x37zXZ", "\x28\xB5\x2F\xFD",
                            "\x04\x22\x4D\x18"};
    const std::string magic = magics[random() % 5];
    text.replace(0, magic.size(), magic);
    text.replace(62, 2, "YZ");
    ASSERT_LE(estimate_of(folder.write("b", text)), 1100u * 64);
  }
}

}  // namespace

namespace {

using testing::through;

struct Kind {
  Codec codec;
  const char* command;
};

class LooksWhole : public ::testing::TestWithParam<Kind> {
 protected:
  bool whole(std::string_view bytes, Codec codec) const {
    base::File file = base::File::open_read(folder_.write("file", bytes));
    return looks_whole(file, codec);
  }

  std::string tar_ = archive::make_tar({{"a.wav", testing::noise(700)}, {"a.txt", "text"}});
  shardmill::testing::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Codecs, LooksWhole,
                         ::testing::Values(Kind{Codec::none, "cat"}, Kind{Codec::bzip2, "bzip2 -c"},
                                           Kind{Codec::gzip, "gzip -nc"}, Kind{Codec::xz, "xz -0c"},
                                           Kind{Codec::zstd, "zstd -qc"},
                                           Kind{Codec::zstd, "zstd -qc --no-check"},
                                           Kind{Codec::lz4, "lz4 -qc"},
                                           Kind{Codec::lz4, "lz4 -qc -BX --content-size"},
                                           Kind{Codec::lz4, "lz4 -qc --no-frame-crc"}));

TEST_P(LooksWhole, OnlyAtItsProperEnd) {
  const std::string file = through(GetParam().command, tar_);
  EXPECT_TRUE(whole(file, GetParam().codec));
  for (std::size_t cut = 0; cut < file.size(); cut += 1 + (cut > 100 && cut + 100 < file.size() ? 16 : 0)) {
    EXPECT_FALSE(whole(file.substr(0, cut), GetParam().codec)) << cut;
  }
}

TEST_P(LooksWhole, AFileOfAnotherCodecIsNot) {
  const std::string file = through(GetParam().command, tar_);
  for (const Codec codec : kAllCodecs) {
    EXPECT_EQ(whole(file, codec), codec == GetParam().codec) << name(codec);
  }
}

TEST_P(LooksWhole, TwoStreamsAreOneFile) {
  if (GetParam().codec == Codec::none) GTEST_SKIP() << "nothing is compressed";
  const std::string file = through(GetParam().command, tar_);
  EXPECT_TRUE(whole(file + file, GetParam().codec));
  EXPECT_FALSE(whole(file + file.substr(0, file.size() / 2), GetParam().codec));
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

std::string problem_of(const std::string& content) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("file", content));
  try {
    open(file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(OtherForms, AreNamedWithAProgramThatReadsThem) {
  const std::string tar = archive::make_tar({{"a.txt", "words"}});
  EXPECT_THAT(problem_of(testing::through("lz4 -lc", tar)), HasSubstr("legacy form of lz4 -l"));
  EXPECT_THAT(problem_of(testing::through("xz --format=lzma -c", tar)), HasSubstr("unpack it with xz -dc"));
  EXPECT_THAT(problem_of(testing::through("xz --format=lzma -1 -c", tar)), HasSubstr("lzma"));
  EXPECT_THAT(problem_of("LZIP\x01\x0c" + std::string(20, 'x')), HasSubstr("lzip"));
  EXPECT_THAT(problem_of("\x1f\x9d\x90" + std::string(20, 'x')), HasSubstr("gzip -dc"));
  EXPECT_THAT(problem_of("\x89LZO\0\r\n\x1a\n"s + std::string(20, 'x')), HasSubstr("lzop"));
}

TEST(OtherForms, ATarIsNoneOfThem) {
  for (const std::string name : {"LZIP", "LZIP1", "]", "]]]", "a"})
    EXPECT_EQ(problem_of(archive::make_tar({{name, "words"}})), "") << name;
  EXPECT_EQ(problem_of("]"), "");
}

}  // namespace
}  // namespace shardmill::codec
