#include "audio/ffmpeg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "audio/transform.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::audio {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class FfmpegTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ffmpeg_version().empty()) GTEST_SKIP() << "ffmpeg is not installed";
    path_ = std::getenv("PATH");
  }
  void TearDown() override {
    if (!path_.empty()) ::setenv("PATH", path_.c_str(), 1);
  }

  /// A second of a tone.
  std::string encoded(const std::string& name, const std::string& options = "") const {
    const std::string file = folder_.file(name);
    command_output("ffmpeg -v error -y -f lavfi -i sine=440:d=1:r=16000 " + options + " " + file);
    return file;
  }
  static Bytes bytes_of(const std::string& path) {
    const base::File file = base::File::open_read(path);
    Bytes bytes(file.size());
    EXPECT_EQ(file.read_at(bytes, 0), bytes.size());
    return bytes;
  }
  std::string problem_of(const Bytes& bytes, milliseconds limit = milliseconds(20'000)) const {
    try {
      decode_foreign(base::memory_file(bytes, "x"), true, limit);
      return "none";
    } catch (const Error& error) {
      return error.problem();
    }
  }
  /// From now on, ffmpeg is this script.
  void fake(const std::string& script) const {
    const std::string program = folder_.write("bin/ffmpeg", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.file("bin") + ":" + path_).c_str(), 1);
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(FfmpegTest, RecognisesWhatOnlyItReads) {
  EXPECT_EQ(foreign_kind(bytes_of(encoded("a.m4a"))), "MP4 (m4a) audio");
  EXPECT_EQ(foreign_kind(bytes_of(encoded("a.webm", "-c:a libopus"))), "Matroska or WebM audio");
  EXPECT_EQ(foreign_kind(bytes_of(encoded("a.wma"))), "Windows Media (wma) audio");
  EXPECT_EQ(foreign_kind(bytes_of(encoded("a.aac"))), "AAC audio");
  EXPECT_EQ(foreign_kind(bytes_of(encoded("a.ts", "-c:a aac"))), "MPEG video");
  for (const char* name : {"a.wav", "a.flac", "a.mp3", "a.ogg", "a.opus", "a.au", "a.aiff"})
    EXPECT_EQ(foreign_kind(bytes_of(encoded(name))), "") << name;
}

TEST_F(FfmpegTest, TheLengthIsThatOfTheDecodedAudio) {
  const ProbeResult probed = probe(bytes_of(encoded("a.m4a")));
  EXPECT_EQ(probed.verdict, ProbeVerdict::good) << probed.text;
  EXPECT_EQ(probed.info.format, "mp4/aac");
  EXPECT_EQ(probed.info.sample_rate, 16000U);
  EXPECT_NEAR(probed.info.seconds(), 1, 0.1);
  ASSERT_TRUE(probed.decoded);
  EXPECT_EQ(probe(*probed.decoded).info.frames, probed.info.frames);
  RecordingReader reader(folder_.file("a.m4a"));
  EXPECT_EQ(reader.read(0, 1 << 20).frames(), probed.info.frames);
  const auto made = transform(bytes_of(folder_.file("a.m4a")), probed.info,
                              {.container = WantedForm::Container::flac}, probed.decoded.get());
  ASSERT_TRUE(made && made->problem.empty());
  EXPECT_EQ(made->info.frames, probed.info.frames);
}

TEST_F(FfmpegTest, AudioThatWasCut) {
  for (const std::string form : {"a.aac", "a.m4a"}) {
    Bytes bytes = bytes_of(encoded(form, "-movflags faststart"));
    bytes.resize(bytes.size() * 2 / 3);
    EXPECT_NE(problem_of(bytes), "none") << form;
  }
  Bytes bytes = bytes_of(encoded("b.aac"));
  bytes.pop_back();
  EXPECT_FALSE(probe(bytes).usable());
}

TEST_F(FfmpegTest, OneThatHangs) {
  const Bytes bytes = bytes_of(encoded("a.m4a"));
  fake("sleep 1000");
  EXPECT_THAT(problem_of(bytes, milliseconds(300)), HasSubstr("did not decode it in 0.3 s"));
}

TEST_F(FfmpegTest, OneThatFailsOrLies) {
  const Bytes bytes = bytes_of(encoded("a.m4a"));
  const std::string half = encoded("half.wav", "-t 0.5");
  fake("echo 'no way' >&2; exit 3");
  EXPECT_THAT(problem_of(bytes), HasSubstr("ffmpeg failed with exit status 3: no way"));
  fake("kill -ABRT $$");
  EXPECT_THAT(problem_of(bytes), HasSubstr("signal 6"));
  fake("exit 0");
  EXPECT_EQ(problem_of(bytes), "ffmpeg found no audio in it");
  fake("cat " + half +
       " > /dev/fd/1; echo ' Stream #0:0: Audio: aac, 16000 Hz' >&2; "
       "echo '  Duration: 00:00:01.00, start' >&2");
  EXPECT_THAT(problem_of(bytes), HasSubstr("decoded 0.50 s of it, and it has 1.00 s"));
}

TEST_F(FfmpegTest, DamagedBytesNeverCrashIt) {
  std::mt19937 chance(7);
  const Bytes whole = bytes_of(encoded("a.m4a"));
  for (int round = 0; round < 30; ++round) {
    Bytes bytes = whole;
    for (int i = 0; i < 8; ++i) bytes[12 + chance() % (bytes.size() - 12)] = static_cast<std::byte>(chance());
    const ProbeResult probed = probe(bytes);
    EXPECT_EQ(probed.usable(), probed.text.empty());
  }
}

}  // namespace
}  // namespace shardmill::audio
