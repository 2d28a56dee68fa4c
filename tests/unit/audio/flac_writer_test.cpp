#include <gtest/gtest.h>

#include "audio/flac.hpp"
#include "audio/made_pcm.hpp"
#include "base/error.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::audio {
namespace {

TEST(FlacWriter, TheProgramDecodesTheSameValuesAndFindsTheMd5Right) {
  const testing::TemporaryFolder folder;
  for (const PcmEncoding encoding : {PcmEncoding::pcm8, PcmEncoding::pcm16, PcmEncoding::pcm24}) {
    for (const std::uint32_t channels : {1U, 2U, 8U}) {
      for (const std::uint64_t frames : {1U, 5000U}) {
        const Pcm pcm = made_pcm(encoding, channels, frames);
        const std::string path = folder.write("a.flac", testing::text_of(encode_flac(pcm)));
        const std::string sign = encoding == PcmEncoding::pcm8 ? "unsigned" : "signed";
        EXPECT_TRUE(testing::command_output("flac -t -s -w " + path +
                                            " && flac -d -s -c --force-raw-format --endian=little --sign=" +
                                            sign + " " + path) == testing::text_of(pcm.data))
            << name(encoding) << " " << channels << " " << frames;
      }
    }
  }
}

TEST(FlacWriter, IsTheSameEachTime) {
  const Pcm pcm = made_pcm(PcmEncoding::pcm16, 1, 30'000);
  EXPECT_TRUE(encode_flac(pcm) == encode_flac(pcm));
}

TEST(FlacWriter, WhatAFlacCannotHoldIsRefused) {
  for (const PcmEncoding encoding : {PcmEncoding::pcm32, PcmEncoding::float32, PcmEncoding::float64})
    EXPECT_THROW(encode_flac(made_pcm(encoding, 1, 10)), Error) << name(encoding);
  EXPECT_THROW(encode_flac(made_pcm(PcmEncoding::pcm16, 9, 10)), Error);
  Pcm fast = made_pcm(PcmEncoding::pcm16, 1, 10);
  fast.sample_rate = 1'048'576;
  EXPECT_THROW(encode_flac(fast), Error);
  fast.sample_rate = 1'048'575;
  EXPECT_NO_THROW(encode_flac(fast));
}

}  // namespace
}  // namespace shardmill::audio
