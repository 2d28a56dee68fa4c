#include "manifest/reject.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "manifest/record_lines.hpp"

namespace shardmill::manifest {
namespace {

using ::testing::HasSubstr;

TEST(Reject, ReadsBackWithWhateverIsKnown) {
  Reject reject{.dataset = "a",
                .source = "x.tar.bz2",
                .key = {},
                .member = {},
                .file_bytes = {},
                .tar_bytes = {},
                .reason = RejectReason::damaged_source,
                .problem = "block 7: bad CRC",
                .samples = {}};
  EXPECT_EQ(line_of(reject),
            R"({"dataset":"a","source":"x.tar.bz2","reason":"damaged_source","problem":"block 7: bad CRC"})"
            "\n");
  EXPECT_EQ(line_of(read_back<Reject>(line_of(reject))), line_of(reject));

  reject.samples = 60;
  reject.samples_unknown = true;
  EXPECT_EQ(line_of(read_back<Reject>(line_of(reject))), line_of(reject));
  EXPECT_TRUE(line_of(reject).ends_with(R"("samples":60,"samples_unknown":true})"
                                        "\n"));
  reject.key = "k";
  reject.member = "k.wav\n{\"forged\":1}";
  reject.file_bytes = {100, 200};
  reject.tar_bytes = {512, 1024};
  const std::string line = line_of(reject);
  EXPECT_THAT(line, HasSubstr(R"("key":"k","member":"k.wav\n{\"forged\":1}","file_bytes":[100,200],)"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line_of(read_back<Reject>(line)), line);
}

TEST(Reject, EveryReasonReadsBackByItsName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(RejectReason::changed); ++i) {
    const auto reason = static_cast<RejectReason>(i);
    EXPECT_EQ(reject_reason(name(reason)), reason);
    names.insert(name(reason));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(RejectReason::changed) + 1);
  // Programs read these: an enumerator put between two others must not move their names.
  EXPECT_EQ(name(RejectReason::no_audio), "no_audio");
  EXPECT_EQ(name(RejectReason::too_large), "too_large");
  EXPECT_EQ(name(RejectReason::unreadable_source), "unreadable_source");
  EXPECT_EQ(name(RejectReason::bad_segment), "bad_segment");
  EXPECT_EQ(name(RejectReason::removed), "removed");
  EXPECT_EQ(name(RejectReason::duplicate_audio), "duplicate_audio");
  EXPECT_EQ(name(RejectReason::narrow_band), "narrow_band");
  EXPECT_EQ(name(RejectReason::uneven), "uneven");
  EXPECT_EQ(reject_reason(""), std::nullopt);
  EXPECT_EQ(reject_reason("No_audio"), std::nullopt);
}

TEST(Reject, UnknownReasonsAndBackwardRangesAreRefused) {
  EXPECT_THROW(read_back<Reject>(R"({"dataset":"","source":"","reason":"?","problem":""})"), Error);
  EXPECT_THROW(
      read_back<Reject>(R"({"dataset":"","source":"","tar_bytes":[2,1],"reason":"no_text","problem":""})"),
      Error);
  EXPECT_THROW(
      read_back<Reject>(R"({"dataset":"","source":"","tar_bytes":[2],"reason":"no_text","problem":""})"),
      Error);
}

}  // namespace
}  // namespace shardmill::manifest
