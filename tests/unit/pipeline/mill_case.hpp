// Two datasets in three compressed shards, for tests of a mill and of what it leaves in its folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "codec/codec_files.hpp"
#include "pipeline/mill.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {

inline constexpr std::uint64_t kMillBytes = 64 << 20;

/// 90 samples of "a" and 45 of "b", for three shards.
class MillCase : public ::testing::Test {
 protected:
  MillCase() {
    for (const std::string name : {"a", "b"}) {
      inputs_.datasets.push_back({.name = name});
      inputs_.streams.push_back(
          {.name = name, .datasets = {static_cast<std::uint32_t>(inputs_.streams.size())}});
    }
    add_shard(0, "a0", 60);
    add_shard(0, "a1", 30);
    add_shard(1, "b0", 45);
  }

  void add_shard(std::size_t stream, const std::string& name, unsigned count) {
    std::vector<std::pair<std::string, std::string>> files;
    for (unsigned i = 0; i < count; ++i) {
      const std::string key = name + "_" + std::to_string(i);
      files.emplace_back(key + ".txt", "words of " + key);
      files.emplace_back(key + ".wav", testing::made_wav(1600 + 97 * (i * i % 41), i));
    }
    const std::string content = codec::testing::through("bzip2 -1c", archive::make_tar(files));
    inputs_.streams[stream].files.push_back({.path = folder_.write(name, content), .bytes = content.size()});
  }

  /// For a work folder of its own.
  MillPlan plan(const std::string& name) {
    MillPlan plan;
    plan.inputs = inputs_;
    plan.interleave = 2;
    plan.shards = 3;
    plan.work_folder = folder_.file(name);
    plan.fingerprint = "a test";
    base::make_folders(plan.work_folder + "/spool");
    return plan;
  }

  /// The SHA-256 of the tars of all shards.
  static std::vector<std::string> tars(Mill& mill) {
    std::vector<std::string> sums;
    for (std::uint32_t shard = 0; shard < mill.spools().size(); ++shard) {
      const std::string tar = base::read_text(mill.spools().tar_path(shard), kMillBytes);
      sums.push_back(base::sha256_hex(base::as_bytes(tar)));
    }
    return sums;
  }

  std::vector<std::string> run(const MillPlan& plan, Workers& workers) {
    Mill mill(plan, workers, reporter_);
    mill.run();
    return tars(mill);
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  Inputs inputs_;
};

}  // namespace shardmill::pipeline
