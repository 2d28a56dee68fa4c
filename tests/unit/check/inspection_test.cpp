#include "check/inspection.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::check {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string little_endian(std::uint32_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xFF);
  return text;
}

/// Silence of this many frames.
std::string wav(std::uint32_t frames, std::uint32_t rate = 16000, std::uint32_t channels = 1) {
  const std::uint32_t frame_bytes = 2 * channels;
  return "RIFF" + little_endian(36 + frames * frame_bytes, 4) + "WAVEfmt " + little_endian(16, 4) +
         little_endian(1, 2) + little_endian(channels, 2) + little_endian(rate, 4) +
         little_endian(rate * frame_bytes, 4) + little_endian(frame_bytes, 2) + little_endian(16, 2) +
         "data" + little_endian(frames * frame_bytes, 4) + std::string(frames * frame_bytes, '\0');
}

/// Members of good samples, each of one second.
Files samples(int first, int count) {
  Files files;
  for (int i = first; i < first + count; ++i) {
    files.emplace_back("utt" + std::to_string(i) + ".txt", "some words");
    files.emplace_back("utt" + std::to_string(i) + ".wav", wav(16000));
  }
  return files;
}

Files operator+(Files files, const Files& more) {
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

std::string without_end(const Files& files) {
  std::string tar = archive::make_tar(files);
  tar.resize(tar.size() - archive::kTarEndBytes);
  return tar;
}

class Inspect : public ::testing::Test {
 protected:
  InspectSummary inspect(bool fast = false, shard::KeyRule rule = shard::KeyRule::wenet) {
    testing::SilentReporter reporter;
    pipeline::Workers workers(2, std::uint64_t{1} << 30);
    return inspect_sources({.sources = {folder_.path().string()}, .key_rule = rule, .fast = fast}, workers,
                           reporter);
  }
  void write(const std::string& name, const Files& files) { folder_.write(name, archive::make_tar(files)); }

  testing::TemporaryFolder folder_;
};

/// The issue of this id in the only dataset.
Issue issue_of(const InspectSummary& summary, std::string_view id, std::string_view loader = "") {
  for (const auto& [kind, issue] : summary.datasets.at(0).issues.all()) {
    if (kind.id == id && (loader.empty() || kind.loader == loader)) return issue;
  }
  return {};
}

TEST_F(Inspect, CountsWhatIsThere) {
  write("a.tar", samples(0, 3));
  folder_.write("b.tar.bz2", codec::testing::through("bzip2 -c", archive::make_tar(samples(3, 5))));
  const InspectSummary summary = inspect();
  EXPECT_FALSE(summary.damaged());
  const DatasetReport& dataset = summary.datasets.at(0);
  EXPECT_FALSE(dataset.issues.has(Severity::hazard));
  EXPECT_EQ(dataset.contents.samples, 8);
  EXPECT_EQ(dataset.contents.duration, std::chrono::seconds(8));
  EXPECT_EQ(dataset.contents.extensions.at("wav").members, 8);
  EXPECT_EQ(dataset.contents.extensions.at("txt").bytes, 80);
  const auto& [form, amount] = *dataset.contents.forms.begin();
  EXPECT_EQ(form, (pipeline::AudioForm{"wav/pcm16", 16000, 1}));
  EXPECT_EQ(amount.samples, 8);
  EXPECT_EQ(dataset.shard_seconds(), (std::vector<double>{3, 5}));
  EXPECT_EQ(dataset.shards[1].codec, codec::Codec::bzip2);
  EXPECT_EQ(dataset.shards[1].contents.tar_bytes, archive::make_tar(samples(3, 5)).size());
  EXPECT_EQ(dataset.speeds.size(), 2);
  const Evenness even(dataset.shard_seconds());
  EXPECT_EQ(even.mean, 4);
  EXPECT_EQ(even.spread_of_mean(), 0.5);
}

TEST_F(Inspect, FindsBadSamples) {
  write("a.tar", samples(0, 2) + Files{{"empty.txt", ""},
                                       {"empty.wav", wav(0)},
                                       {"cut.txt", " \n"},
                                       {"cut.wav", wav(16000).substr(0, 10'000)},
                                       {"no_text.wav", wav(16000)},
                                       {"latin.txt", "caf\xe9"},
                                       {"latin.wav", wav(16000)},
                                       {"garbage.txt", "x"},
                                       {"garbage.wav", "not audio"},
                                       {"no_audio.txt", "x"},
                                       {"stereo.txt", "x"},
                                       {"stereo.wav", wav(100, 44100, 2)},
                                       {"both.txt", "x"},
                                       {"both.wav", wav(100)},
                                       {"both.flac", "x"}});
  const InspectSummary summary = inspect();
  EXPECT_TRUE(summary.damaged());
  for (const auto& [id, count] :
       std::vector<std::pair<std::string_view, std::uint64_t>>{{"empty_audio", 1},
                                                               {"truncated_audio", 1},
                                                               {"bad_audio", 2},
                                                               {"no_transcript", 1},
                                                               {"empty_transcript", 2},
                                                               {"bad_transcript", 1},
                                                               {"no_audio", 1},
                                                               {"several_audio", 1},
                                                               {"mixed_audio", 1}}) {
    EXPECT_EQ(issue_of(summary, id).count, count) << id;
  }
  EXPECT_EQ(issue_of(summary, "truncated_audio").first.at(0).where.member, "cut.wav");
  EXPECT_EQ(issue_of(summary, "no_transcript").first.at(0).where.member, "no_text");
}

TEST_F(Inspect, CountsWhatWeNetDropsAtADirectory) {
  folder_.write("a.tar", archive::entry('5', "./", "") + archive::make_tar(samples(0, 4)));
  folder_.write("b.tar", without_end(samples(4, 2)) + archive::entry('5', "more/", "") +
                             archive::make_tar(samples(6, 3)));
  const InspectSummary summary = inspect();
  EXPECT_FALSE(summary.damaged());
  const Issue dropped = issue_of(summary, "dropped_rest", "WeNet");
  EXPECT_EQ(dropped.count, 2);
  EXPECT_EQ(dropped.shards, 2);
  EXPECT_EQ(dropped.lost_samples, 4 + 1 + 3);  // the sample before a directory is never handed out
  EXPECT_EQ(summary.datasets[0].contents.samples, 9);
}

TEST_F(Inspect, FindsNamesThatLoadersMisread) {
  write("a.tar",
        {{"a.b.txt", "x"}, {"a.b.wav", wav(100)}, {"README", "x"}, {"c.txt", "x"}, {"c.WAV", wav(100)}});
  const InspectSummary summary = inspect();
  EXPECT_EQ(issue_of(summary, "misread_name", "WebDataset").count, 2);
  EXPECT_EQ(issue_of(summary, "dropped_rest", "WeNet").lost_samples, 2);
  EXPECT_EQ(issue_of(summary, "no_key").count, 1);
  EXPECT_EQ(issue_of(inspect(false, shard::KeyRule::webdataset), "no_audio").count, 1);  // a: b.txt and b.wav
}

TEST_F(Inspect, FindsKeysThatComeAgain) {
  write("a.tar", samples(0, 3) + Files{{"utt1.txt", "x"}, {"utt1.wav", wav(100)}, {"apart.txt", "x"}} +
                     samples(3, 1) + Files{{"apart.wav", wav(100)}});
  write("b.tar", samples(2, 1) + samples(9, 1));
  const InspectSummary summary = inspect();
  EXPECT_FALSE(summary.damaged());
  const Issue again = issue_of(summary, "duplicate_key");
  EXPECT_EQ(again.count, 2);
  EXPECT_EQ(again.shards, 2);
  EXPECT_EQ(again.first.at(0).where.member, "utt1");
  EXPECT_EQ(again.first.at(1).where.member, "utt2");
  EXPECT_EQ(issue_of(summary, "split_sample").first.at(0).where.member, "apart");
}

TEST_F(Inspect, FindsTarsThatReadersTakeForWhole) {
  const std::string tar = archive::make_tar(samples(0, 2));
  folder_.write("cut.tar", without_end(samples(9, 2)));
  folder_.write("twice.tar", tar + archive::make_tar(samples(2, 2)));
  folder_.write("zero.tar", without_end(samples(5, 1)) + std::string(archive::kTarBlockBytes, '\0') +
                                archive::make_tar(samples(6, 3)));
  const InspectSummary summary = inspect();
  EXPECT_TRUE(summary.damaged());
  EXPECT_EQ(issue_of(summary, "no_end").count, 1);
  EXPECT_EQ(issue_of(summary, "data_after_end").first.at(0).tar_offset, tar.size());
  EXPECT_EQ(issue_of(summary, "lone_zero_block").lost_samples, 3);
}

TEST_F(Inspect, ReadsOnBehindDamage) {
  const std::string tar = archive::make_tar(samples(0, 40));
  std::string broken = tar;
  broken.replace(broken.find("utt20.txt"), 4, "XXXX");
  folder_.write("a.tar", broken);
  std::string cut = codec::testing::through("gzip -c", tar);
  folder_.write("b.tar.gz", cut.substr(0, cut.size() / 2));
  folder_.write("c.tar.bz2", "BZh9 this was never bzip2");
  folder_.write("d.tar", archive::make_tar(samples(100, 1)));
  const InspectSummary summary = inspect();
  EXPECT_TRUE(summary.damaged());
  const Issue header = issue_of(summary, "bad_header");
  EXPECT_EQ(header.count, 1);
  EXPECT_EQ(header.lost_samples, 20);  // sample 20, which has no transcript, and all after it
  const Issue compression = issue_of(summary, "damaged_compression");
  EXPECT_EQ(compression.shards, 2);
  EXPECT_EQ(compression.first.at(0).where.path, folder_.file("b.tar.gz"));
  EXPECT_EQ(issue_of(summary, "truncated").count, 0) << "it follows from the damage before";
  EXPECT_EQ(summary.datasets[0].shards[3].contents.samples, 1);
}

TEST_F(Inspect, ReportsFilesThatCannotBeRead) {
  write("a.tar", samples(0, 1));
  folder_.write("b.tar", "");
  const InspectSummary summary = inspect();
  EXPECT_TRUE(summary.damaged());
  ASSERT_EQ(summary.unusable.size(), 1);
  EXPECT_EQ(summary.unusable[0].where().path, folder_.file("b.tar"));
}

TEST_F(Inspect, FastLooksAtSizesAndEnds) {
  const std::string tar = archive::make_tar(samples(0, 30));
  folder_.write("a.tar", tar);
  folder_.write("b.tar.zst", codec::testing::through("zstd -qc", tar));
  EXPECT_FALSE(inspect(true).damaged());
  folder_.write("c.tar", tar.substr(0, tar.size() / 2));
  const std::string packed = codec::testing::through("zstd -qc", codec::testing::noise(300'000));
  folder_.write("d.tar.zst", packed.substr(0, packed.size() / 2));
  const InspectSummary summary = inspect(true);
  EXPECT_TRUE(summary.damaged());
  EXPECT_EQ(issue_of(summary, "no_end").first.at(0).where.path, folder_.file("c.tar"));
  EXPECT_EQ(issue_of(summary, "cut_short").first.at(0).where.path, folder_.file("d.tar.zst"));
  EXPECT_EQ(issue_of(summary, "codec", "Python's tarfile").count, 2);
  EXPECT_EQ(summary.datasets[0].contents.samples, 0);
  EXPECT_GT(summary.datasets[0].contents.tar_bytes, tar.size());
}

TEST(InspectSources, CountsSamplesAndMeasuresTheDecoder) {
  testing::MadeDataset made;
  const testing::TemporaryFolder folder;
  const std::string shard =
      folder.write("audio_0.tar.bz2", codec::testing::through("bzip2 -c", base::read_text(made.source())));
  const auto summary = inspect_sources({.sources = {shard}}, made.workers(), made.reporter());
  ASSERT_EQ(summary.datasets.size(), 1u);
  EXPECT_EQ(summary.datasets[0].contents.samples, testing::MadeDataset::kSamples);
  EXPECT_EQ(summary.datasets[0].contents.tar_bytes, base::read_text(made.source()).size());
  EXPECT_GT(summary.datasets[0].speeds.at(codec::Codec::bzip2).decoded_bytes_per_second, 1e5);
  EXPECT_FALSE(summary.damaged());
}

}  // namespace
}  // namespace shardmill::check
