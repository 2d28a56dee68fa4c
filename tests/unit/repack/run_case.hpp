// Three shards of 20 samples by ten speakers, for tests of whole runs.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/io/file.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "repack/options.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {

class RunCase : public ::testing::Test {
 protected:
  static constexpr unsigned kFiles = 3;
  static constexpr unsigned kSamplesOfFile = 20;

  RunCase() {
    for (unsigned file = 0; file < kFiles; ++file) {
      std::vector<std::pair<std::string, std::string>> members;
      for (unsigned i = 0; i < kSamplesOfFile; ++i) {
        const std::string key = "s" + std::to_string(i % 10) + "-" + std::to_string(file) + std::to_string(i);
        members.emplace_back(key + ".txt", "words of " + key);
        members.emplace_back(key + ".wav", testing::made_wav(1600 + 111 * (i * 7 % 19), 100 * file + i));
      }
      const std::string name = "source" + std::to_string(file) + ".tar";
      options_.sources.push_back("set=" + folder_.write(name, archive::make_tar(members)));
    }
    options_.out_folder = folder_.file("out");
    options_.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 4};
    options_.recipe.intake.speakers.patterns.emplace("set", pipeline::SpeakerPattern("^(s[0-9]+)-"));
    options_.command = "shardmill repack for a test";
  }

  std::string out(const std::string& inner) const { return options_.out_folder + "/" + inner; }
  std::string text(const std::string& inner) const { return base::read_text(out(inner), 64 << 20); }
  /// The keys of a dataset; each may come once.
  static std::set<std::string> keys_in(const std::string& folder) {
    std::set<std::string> keys;
    manifest::SampleRecord record;
    for (manifest::RecordReader reader(folder + "/tarred_audio_manifest.json"); reader.next(record);)
      EXPECT_TRUE(keys.insert(record.key).second) << record.key;
    return keys;
  }
  static std::set<std::string> speakers_of(const std::set<std::string>& keys) {
    std::set<std::string> speakers;
    for (const std::string& key : keys) speakers.insert(key.substr(0, key.find('-')));
    return speakers;
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, std::uint64_t{256} << 20};
  RepackOptions options_;
};

}  // namespace shardmill::repack
