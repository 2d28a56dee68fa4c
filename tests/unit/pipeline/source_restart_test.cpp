// Reading that begins again at any moment's restart point goes on as if it had never stopped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "pipeline/source_parser.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using archive::entry;
using codec::testing::noise;
using codec::testing::through;

std::string in_words(SourceItem& item) {
  if (auto* found = std::get_if<shard::GroupedSample>(&item)) {
    found->load();
    std::string words =
        fmt::format("sample {} at {} damage '{}'", found->sample.key, found->begin_offset, found->damage);
    for (const Member& member : found->sample.members) {
      words += fmt::format(" {} at {}: {}", member.name, member.tar_offset,
                           std::hash<std::string>()(archive::text(member.bytes)));
    }
    return words;
  }
  if (const auto* finding = std::get_if<ShardFinding>(&item)) {
    return fmt::format("{} {} at {}: {}", name(finding->problem), finding->name, finding->offset,
                       finding->text);
  }
  return std::get<Damage>(item).error.what();
}

/// Reading one file, a unit at a time.
class Reading {
 public:
  explicit Reading(const source::SourceFile& file, const SourceRestart& from = {})
      : reader_(open_source(file, from)),
        parser_(file, shard::KeyRule::wenet, from, {.in_memory_bytes = 50'000, .file = [](std::uint64_t) {
                                                      return base::memory_file({}, "stored");
                                                    }}) {}

  bool done() const { return done_; }
  std::vector<std::string> step() {
    const Unit unit = reader_->next();
    unit.prepare();
    done_ = unit.last;
    std::vector<std::string> items;
    for (SourceItem& item : parser_.parse(unit)) items.push_back(in_words(item));
    return items;
  }
  const SourceParser& parser() const { return parser_; }

 private:
  std::unique_ptr<SourceReader> reader_;
  SourceParser parser_;
  bool done_ = false;
};

class SourceRestarts : public ::testing::Test {
 protected:
  /// Returns the most units that had to be read again.
  std::uint64_t expect_same_from_everywhere(const std::string& content) {
    const source::SourceFile file{.path = folder_.write("file", content)};
    std::vector<std::vector<std::string>> steps;
    std::vector<SourceRestart> restarts;
    std::vector<std::uint64_t> offsets;
    for (Reading all(file); !all.done();) {
      steps.push_back(all.step());
      restarts.push_back(all.parser().restart());
      offsets.push_back(all.parser().offset());
    }
    std::uint64_t farthest = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      Reading again(file, restarts[i]);
      const std::uint64_t units = i + 1 - restarts[i].units;
      farthest = std::max(farthest, units);
      for (std::uint64_t unit = 0; unit < units; ++unit) again.step();
      EXPECT_EQ(again.parser().units(), i + 1);
      EXPECT_EQ(again.parser().offset(), offsets[i]);
      EXPECT_EQ(again.parser().restart(), restarts[i]) << "after unit " << i;
      // To the end from some places; what follows at once tells enough from the others.
      const std::size_t end = i % 8 == 0 ? steps.size() : std::min(i + 4, steps.size());
      for (std::size_t next = i + 1; next < end; ++next) EXPECT_EQ(again.step(), steps[next]);
      EXPECT_EQ(again.done(), end == steps.size());
    }
    return farthest;
  }

  testing::TemporaryFolder folder_;
};

/// Samples of very different sizes, and with `odd` all that may stand between them.
std::string make_tar(bool odd) {
  std::mt19937 random(7);
  std::string tar;
  for (int i = 0; i < 40; ++i) {
    const std::string key = fmt::format("{}utt{}", odd && i % 7 == 0 ? std::string(150, 'd') + "/" : "", i);
    const std::size_t bytes = i == 20 ? 1'300'000 : 100 + random() % 60'000;
    if (odd && i % 9 == 0) tar += entry('2', "link", "");
    if (odd && i % 11 == 0) tar += entry('0', "no_extension", "x");
    if (odd && i % 13 == 0) tar += entry('L', "././@LongLink", key + ".txt" + std::string(1, '\0'));
    tar += entry('0', (key + ".txt").substr(0, 100), "words");
    if (odd && i % 5 == 0) tar += entry('5', "folder", "");
    tar += entry('0', (key + ".wav").substr(0, 100), noise(bytes, static_cast<unsigned>(i) + 1));
    if (odd && i % 17 == 0) tar += entry('0', (key + ".wav").substr(0, 100), "twice");
    if (odd && i % 19 == 0) tar += std::string(512, '\0');
  }
  return tar + std::string(1024, '\0');
}

TEST_F(SourceRestarts, OrdinaryShardsAreReadAgainFromNearby) {
  const std::string tar = make_tar(false);
  EXPECT_LE(expect_same_from_everywhere(tar), 4U);
  // The largest sample is in 14 blocks of 100 kB; pbzip2 makes a stream of every two.
  EXPECT_LE(expect_same_from_everywhere(through("bzip2 -1c", tar)), 15U);
  EXPECT_LE(expect_same_from_everywhere(through("pbzip2 -1 -b2 -p2 -c", tar)), 24U);
}

TEST_F(SourceRestarts, OthersAreReadAgainFromTheStart) {
  expect_same_from_everywhere(through("gzip -1c", make_tar(false)));
  expect_same_from_everywhere(through("zstd -qc", make_tar(true)));
}

TEST_F(SourceRestarts, NothingOddComesTwiceOrIsMissed) {
  const std::string tar = make_tar(true);
  expect_same_from_everywhere(tar);
  expect_same_from_everywhere(through("bzip2 -1c", tar));
}

TEST_F(SourceRestarts, NorDoesDamage) {
  const std::string tar = make_tar(true);
  const std::string packed = through("bzip2 -1c", tar);
  for (const double place : {0.05, 0.3, 0.6, 0.95}) {
    const auto at = [&](const std::string& whole) {
      return static_cast<std::size_t>(place * static_cast<double>(whole.size()));
    };
    std::string damaged = packed;
    damaged[at(packed)] ^= 0x10;
    expect_same_from_everywhere(damaged);
    damaged = tar;
    for (std::size_t i = 0; i < 5000; ++i) damaged[at(tar) + i] ^= 0x55;
    expect_same_from_everywhere(damaged);
    expect_same_from_everywhere(packed.substr(0, at(packed)));
  }
}

TEST_F(SourceRestarts, WhatAGlobalHeaderSaidIsNotForgotten) {
  const auto named = [](const std::string& tar) { return entry('g', "global", "14 path=a.wav\n") + tar; };
  std::string tar = make_tar(false);
  const source::SourceFile file{.path = folder_.write("file", named(tar))};
  Reading reading(file);
  while (!reading.done()) reading.step();
  EXPECT_EQ(reading.parser().restart(), SourceRestart{});
  expect_same_from_everywhere(named(tar));
}

}  // namespace
}  // namespace shardmill::pipeline
