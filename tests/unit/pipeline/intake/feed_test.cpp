#include "pipeline/intake/feed.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using Lanes = std::vector<std::vector<std::size_t>>;

std::vector<source::SourceFile> of_sizes(const std::vector<std::uint64_t>& sizes) {
  std::vector<source::SourceFile> files;
  for (const std::uint64_t size : sizes) files.push_back({.path = "f", .bytes = size});
  return files;
}

TEST(Lanes, TakeTheFilesInOrderAndComeToAboutTheSameSize) {
  EXPECT_EQ(files_of_lanes(of_sizes({5, 5, 5, 5, 5}), 2), (Lanes{{0, 2, 4}, {1, 3}}));
  EXPECT_EQ(files_of_lanes(of_sizes({100, 10, 10, 10}), 2), (Lanes{{0}, {1, 2, 3}}));
  EXPECT_EQ(files_of_lanes(of_sizes({1, 2}), 16), (Lanes{{0}, {1}}));
  EXPECT_EQ(files_of_lanes(of_sizes({3, 2, 1}), 1), (Lanes{{0, 1, 2}}));
  EXPECT_EQ(files_of_lanes({}, 4), Lanes{});
  // Nothing is known of the size of a command's output: those are read one after the other.
  EXPECT_EQ(files_of_lanes(of_sizes({0, 0, 0}), 2), (Lanes{{0, 1, 2}, {}}));
}

TEST(Lanes, AreNotTooManyInAll) {
  EXPECT_EQ(lanes_of_each(16, 1), 16U);
  EXPECT_EQ(lanes_of_each(16, 4), 16U);
  EXPECT_EQ(lanes_of_each(16, 5), 12U);
  EXPECT_EQ(lanes_of_each(16, 1000), 1U);
  EXPECT_EQ(lanes_of_each(1, 2), 1U);
  EXPECT_EQ(lanes_of_each(256, 2), 128U);
  EXPECT_EQ(lanes_of_each(16, 0), 16U);
}

class FeedOfFiles : public ::testing::Test {
 protected:
  FeedOfFiles() {
    for (int i = 0; i < 5; ++i)
      add("a", i, 3'000'000 + static_cast<std::size_t>(i) * 400'000, i == 2 ? "gzip -1c" : "cat");
    for (int i = 0; i < 2; ++i) add("b", i, 1'500'000, "cat");
    streams_[1].files.push_back({.path = folder_.file("missing"), .bytes = 5});
  }

  void add(const std::string& stream, int number, std::size_t bytes, const std::string& command) {
    const std::string tar =
        archive::make_tar({{"k.wav", codec::testing::noise(bytes, static_cast<unsigned>(number) + 1)}});
    const std::string packed = codec::testing::through(command, tar);
    streams_[stream == "a" ? 0 : 1].files.push_back(
        {.path = folder_.write(stream + std::to_string(number), packed), .bytes = packed.size()});
  }

  using Step = std::pair<std::uint32_t, std::size_t>;  // stream and file

  /// Takes and parses units until `count` were taken or there are no more.
  static std::vector<Step> take(Feed& feed, std::size_t count = 1'000'000) {
    std::vector<Step> steps;
    while (steps.size() < count) {
      auto item = feed.next();
      if (!item) break;
      item->unit.prepare();
      item->source->parser.parse(item->unit);
      steps.emplace_back(item->source->stream, item->source->file);
    }
    return steps;
  }

  testing::TemporaryFolder folder_;
  std::vector<InputStream> streams_{{.name = "a", .files = {}, .datasets = {0}},
                                    {.name = "b", .files = {}, .datasets = {1}}};
};

TEST_F(FeedOfFiles, OneAfterTheOther) {
  Feed feed(streams_, 1, shard::KeyRule::wenet);
  std::size_t last = 0;
  for (const auto& [stream, file] : take(feed)) {
    if (stream != 0) continue;
    EXPECT_GE(file, last);
    last = file;
  }
  EXPECT_EQ(last, 4U);
  EXPECT_TRUE(feed.done());
}

TEST_F(FeedOfFiles, SeveralAtATimeInterleaveEvenly) {
  Feed feed(streams_, 4, shard::KeyRule::wenet);
  std::vector<std::size_t> order;
  for (const auto& [stream, file] : take(feed)) {
    if (stream == 0) order.push_back(file);
  }
  // The first lane holds the first and the last file, so the first is read to its end half-way.
  EXPECT_EQ(std::vector<std::size_t>(order.begin(), order.begin() + 4),
            (std::vector<std::size_t>{0, 1, 2, 3}));
  for (std::size_t file = 1; file < 4; ++file) {
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    EXPECT_GT(std::count(order.begin(), middle, file), 0) << file;
    EXPECT_GT(std::count(middle, order.end(), file), 0) << file;
  }
}

TEST_F(FeedOfFiles, GoesOnFromAnyPosition) {
  for (const std::uint32_t interleave : {1U, 3U, 16U}) {
    Feed whole(streams_, interleave, shard::KeyRule::wenet);
    const auto all = take(whole);
    for (std::size_t stop = 0; stop <= all.size(); stop += 3) {
      Feed first(streams_, interleave, shard::KeyRule::wenet);
      take(first, stop);
      Feed second(streams_, interleave, shard::KeyRule::wenet);
      for (const auto& [source, position] : second.restore(first.positions())) {
        for (std::uint64_t unit = position.restart.units; unit < position.units; ++unit)
          source->parser.parse(source->reader->next());
        EXPECT_EQ(source->parser.offset(), position.offset);
      }
      EXPECT_EQ(take(second), std::vector<Step>(all.begin() + static_cast<std::ptrdiff_t>(stop), all.end()))
          << interleave << " " << stop;
    }
  }
}

constexpr std::uint64_t kOneMiB = 1 << 20;

TEST(MemberStorageTest, AShareOfTheMemoryWithinBounds) {
  EXPECT_EQ(member_storage(0).in_memory_bytes, kOneMiB);
  EXPECT_EQ(member_storage(64 * kOneMiB).in_memory_bytes, kOneMiB);
  EXPECT_EQ(member_storage(64 * 3 * kOneMiB).in_memory_bytes, 3 * kOneMiB);
  EXPECT_EQ(member_storage(UINT64_MAX).in_memory_bytes, 8 * kOneMiB);
}

/// Sets TMPDIR for one test.
class MemberStorageFolder : public ::testing::Test {
 protected:
  MemberStorageFolder() {
    if (const char* old = std::getenv("TMPDIR")) before_ = old;
  }
  ~MemberStorageFolder() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  testing::TemporaryFolder folder_;

 private:
  std::optional<std::string> before_;
};

TEST_F(MemberStorageFolder, FilesHaveNoNamesSoNothingIsLeft) {
  ::setenv("TMPDIR", folder_.path().c_str(), 1);
  const auto storage = member_storage(64 * kOneMiB);
  base::File file = storage.file(100);
  file.write_at(base::as_bytes(std::string_view("member")), 0);
  EXPECT_EQ(file.size(), 6U);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MemberStorageFolder, WithoutAFolderTheRunEndsAndSaysWhatHelps) {
  ::setenv("TMPDIR", folder_.file("missing").c_str(), 1);
  const auto storage = member_storage(64 * kOneMiB);
  try {
    storage.file(100);
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos);
  }
}

TEST_F(MemberStorageFolder, MoreThanTheDiskHoldsEndsTheRunToo) {
  ::setenv("TMPDIR", folder_.path().c_str(), 1);
  EXPECT_THROW(member_storage(64 * kOneMiB).file(UINT64_MAX / 2), FatalError);
}

}  // namespace

}  // namespace shardmill::pipeline
