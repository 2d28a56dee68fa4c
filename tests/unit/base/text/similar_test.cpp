#include "base/text/similar.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace shardmill::base {
namespace {

const std::vector<std::string> kNames{"repack", "report", "ranks", "verify", "librispeech", "--on-error"};

TEST(Similar, FindsWhatWasProbablyMeant) {
  EXPECT_EQ(most_similar("repak", kNames), "repack");
  EXPECT_EQ(most_similar("reprot", kNames), "report");
  EXPECT_EQ(most_similar("libri", kNames), "librispeech");
  EXPECT_EQ(most_similar("librispech", kNames), "librispeech");
  EXPECT_EQ(most_similar("--on-eror", kNames), "--on-error");
}

TEST(Similar, IsSilentWhereNothingIsLikeIt) {
  EXPECT_EQ(most_similar("", kNames), std::nullopt);
  EXPECT_EQ(most_similar("xyz", kNames), std::nullopt);
  EXPECT_EQ(most_similar("convert", {}), std::nullopt);
  EXPECT_EQ(most_similar(std::string(1'000'000, 'a'), kNames), std::nullopt);
}

TEST(Similar, SaysItAsAQuestion) {
  EXPECT_EQ(did_you_mean("verfy", kNames, "no"), "did you mean 'verify'?");
  EXPECT_EQ(did_you_mean("zzz", kNames, "see --help"), "see --help");
}

}  // namespace
}  // namespace shardmill::base
