#include "codec/whole.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
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
}  // namespace shardmill::codec
