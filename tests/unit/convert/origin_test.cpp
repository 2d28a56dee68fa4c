#include "convert/origin.hpp"

#include <gtest/gtest.h>

namespace shardmill::convert {
namespace {

const ConvertedOrigin kOrigin{.source = "../in/\"x\".tar.bz2",
                              .source_bytes = 123,
                              .source_mtime_ns = -5,
                              .codec = "zstd",
                              .level = 3,
                              .seekable = true,
                              .ignore_trailing = false,
                              .result_bytes = 456,
                              .result_mtime_ns = -7};

TEST(ConvertedOrigin, ComesBackAsItWas) {
  EXPECT_EQ(origin_in(to_text(kOrigin)), kOrigin);
  ConvertedOrigin begun = kOrigin;
  begun.result_bytes.reset();
  begun.result_mtime_ns.reset();
  EXPECT_EQ(origin_in(to_text(begun)), begun);
}

TEST(ConvertedOrigin, NothingIsKnownByARecordThatWasChanged) {
  const std::string text = to_text(kOrigin);
  for (const std::string& changed : {std::string(), std::string("{}"), text.substr(0, text.size() / 2),
                                     std::string(text).replace(text.find("456"), 3, "457")}) {
    EXPECT_EQ(origin_in(changed), ConvertedOrigin{});
  }
}

}  // namespace
}  // namespace shardmill::convert
