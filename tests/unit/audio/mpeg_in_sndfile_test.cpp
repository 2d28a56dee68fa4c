#include <gtest/gtest.h>
#include <sndfile.h>

#include <string>

#include "audio/sndfile.hpp"
#include "audio/sndfile_stream.hpp"

namespace shardmill::audio {
namespace {

std::string layer_name(int encoding) {
  SF_FORMAT_INFO info{.format = encoding, .name = nullptr, .extension = nullptr};
  return sf_command(nullptr, SFC_GET_FORMAT_INFO, &info, sizeof(info)) == 0 && info.name != nullptr
             ? info.name
             : "";
}

TEST(MpegInSndfile, TheNumbersAreThoseOfTheLibrary) {
  if (!sndfile_reads_mpeg()) GTEST_SKIP() << "this libsndfile reads no MPEG audio";
  EXPECT_NE(layer_name(kSndfileMpegLayer1).find("Layer I"), std::string::npos);
  EXPECT_NE(layer_name(kSndfileMpegLayer2).find("Layer II"), std::string::npos);
  EXPECT_NE(layer_name(kSndfileMpegLayer3).find("Layer III"), std::string::npos);
}

}  // namespace
}  // namespace shardmill::audio
