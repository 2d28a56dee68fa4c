#include "check/member_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::check {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A tar and its manifest, built side by side.
class MemberCheckTest : public ::testing::Test {
 protected:
  void member(const std::string& name, const std::string& content) {
    archive::append_header(tar_, name, content.size());
    const auto bytes = base::as_bytes(content);
    tar_.insert(tar_.end(), bytes.begin(), bytes.end());
    archive::append_padding(tar_, content.size());
  }

  void sample(const std::string& key, const std::string& audio, const std::string& text) {
    member(key + ".txt", text + "\n");
    record_audio(key, audio, text);
    member(key + ".wav", audio);
  }

  /// Records the audio of the member that is added next.
  void record_audio(const std::string& key, const std::string& audio, const std::string& text) {
    manifest::SampleRecord record;
    record.audio_filepath = key + ".wav";
    record.key = key;
    record.source_key = key;
    record.dataset = "d";
    record.text = text;
    record.audio = {.format = "wav/pcm16", .sample_rate = 1000, .channels = 1, .frames = 500};
    record.duration_seconds = 0.5;
    record.audio_bytes = audio.size();
    record.tar_offset = tar_.size() + archive::kTarBlockBytes;
    record.xxh3 = base::xxh3_128(base::as_bytes(audio));
    append_line(manifest_, record);
  }

  /// The findings as texts; `found_` holds what was handed on.
  std::vector<std::string> check() {
    const std::string path = folder_.write("manifest", manifest_);
    FindingList findings;
    MemberCheck check({.shard = "s", .manifest = path, .shard_id = 0, .text = pipeline::TextPlace::both},
                      findings, nullptr, [this](const ListedSample& sample) {
                        found_.push_back(sample.record.key + " " + std::string(sample.transcript) + " " +
                                         std::to_string(sample.extras.size()));
                      });
    archive::TarParser parser(check, 1 << 20);
    archive::append_end(tar_);
    parser.feed(tar_);
    parser.finish();
    check.finish();
    samples_ = check.contents().tally().samples();
    std::vector<std::string> texts;
    for (const Finding& finding : findings.take())
      texts.push_back(finding.where.member + ": " + finding.what);
    return texts;
  }

  testing::TemporaryFolder folder_;
  Bytes tar_;
  std::string manifest_;
  std::vector<std::string> found_;
  std::uint64_t samples_ = 0;
};

TEST_F(MemberCheckTest, EverythingIsAccountedFor) {
  sample("a", "audio of a", "text of a");
  member("a.json", "{}");
  member("a.npy", "x");
  sample("b", "audio of b", "text of b");
  EXPECT_THAT(check(), IsEmpty());
  EXPECT_THAT(found_, ElementsAre("a text of a 2", "b text of b 0"));
  EXPECT_EQ(samples_, 2U);
}

TEST_F(MemberCheckTest, StrangersAreNamed) {
  member("x.json", "{}");
  sample("a", "audio of a", "text of a");
  member("b.json", "{}");
  member("a.json", "{}");
  member("a.json", "{}");
  member("c.txt", "text of no audio");
  EXPECT_THAT(check(),
              ElementsAre("x.json: belongs to no sample of the manifest",
                          "b.json: belongs to no sample of the manifest", "a.json: is in its sample twice",
                          "c.txt: is not followed by audio with its key"));
}

TEST_F(MemberCheckTest, LostAudioIsNamed) {
  member("a.txt", "text of a");
  record_audio("a", "audio of a", "text of a");
  sample("b", "audio of b", "text of b");
  record_audio("c", "audio of c", "text of c");
  EXPECT_THAT(check(), Contains("c.wav: is in the manifest, but not in the shard"));
}

TEST_F(MemberCheckTest, TheTranscriptStandsBeforeItsAudio) {
  record_audio("a", "audio of a", "text of a");
  member("a.wav", "audio of a");
  member("a.txt", "text of a");
  EXPECT_THAT(check(), ElementsAre("a.wav: its transcript is missing before it",
                                   "a.txt: is not followed by audio with its key"));
}

TEST_F(MemberCheckTest, ABadLineDoesNotHideOthers) {
  sample("a", "audio of a", "text of a");
  manifest_ += "no json\n";
  sample("b", "audio of b", "text of b");
  const auto findings = check();
  EXPECT_EQ(findings.size(), 1U);
  EXPECT_EQ(samples_, 2U);
}

TEST_F(MemberCheckTest, ManifestThatIsCut) {
  sample("a", "audio of a", "text of a");
  sample("b", "audio of b", "text of b");
  manifest_.resize(manifest_.size() - 5);
  const auto findings = check();
  EXPECT_THAT(findings, Contains(::testing::HasSubstr("cut")));
  EXPECT_THAT(findings, Contains("b.wav: belongs to no sample of the manifest"));
}

TEST_F(MemberCheckTest, AudioThatChanged) {
  record_audio("a", "audio of a", "");
  member("a.wav", "audio of b");
  record_audio("b", "audio", "");
  member("b.wav", "audi");
  EXPECT_THAT(check(), ElementsAre("a.wav: its bytes have changed: the manifest has another hash",
                                   "b.wav: has 4 bytes, but the manifest says 5"));
}

}  // namespace
}  // namespace shardmill::check
