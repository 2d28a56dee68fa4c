#include "dataset/publish.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

namespace fs = std::filesystem;
using testing::MadeDataset;

/// A new version of all files of a dataset, in its work folder: one shard less, one more file.
Renames staged(const MadeDataset& made) {
  fs::create_directories(made.path(".shardmill/new/shards"));
  Renames renames;
  for (const char* name : {"shards/audio_000000000.tar", "shards.jsonl", "dataset.json"}) {
    made.write(std::string(".shardmill/new/") + name, std::string("new ") + name);
    renames.emplace_back(std::string(".shardmill/new/") + name, name);
  }
  return renames;
}

TEST(Publish, ReplacesTheOlderDatasetAndRemovesOnlyItsFiles) {
  const MadeDataset made;
  made.write("shards/notes.txt", "mine");
  publish(made.folder(), staged(made));
  EXPECT_EQ(made.read("dataset.json"), "new dataset.json");
  EXPECT_EQ(made.read("shards/audio_000000000.tar"), "new shards/audio_000000000.tar");
  EXPECT_FALSE(fs::exists(made.path("shards/audio_000000001.tar")));
  EXPECT_FALSE(fs::exists(made.path("manifests")));
  EXPECT_EQ(made.read("shards/notes.txt"), "mine");
}

TEST(Publish, ChangesNothingWhereSomebodyElsesFileIsInTheWay) {
  const MadeDataset made;
  Renames renames = staged(made);
  made.write(".shardmill/new/notes.txt", "new");
  renames.insert(renames.begin(), {".shardmill/new/notes.txt", "notes.txt"});
  made.write("notes.txt", "mine");
  const std::string before = made.read("dataset.json");
  EXPECT_THROW(publish(made.folder(), renames), Error);
  EXPECT_EQ(made.read("dataset.json"), before);
  EXPECT_EQ(made.read("notes.txt"), "mine");
  EXPECT_FALSE(finish_publishing(made.folder()));
}

// A crash after any of the renames: the list is there, some files have moved, and the dataset is not
// complete.
TEST(Publish, IsFinishedAfterACrashAtAnyStep) {
  for (std::size_t done = 0; done <= 3; ++done) {
    const MadeDataset made;
    const Renames renames = staged(made);
    publish(made.folder(), renames);
    // Back to how it was after `done` renames.
    for (std::size_t i = done; i < renames.size(); ++i)
      fs::rename(made.path(renames[i].second), made.path(renames[i].first));
    EXPECT_TRUE(names_being_published(made.folder()).contains("dataset.json"));
    EXPECT_TRUE(finish_publishing(made.folder())) << done;
    for (const auto& [from, to] : renames) EXPECT_EQ(made.read(to), "new " + to) << done;
    fs::remove(publish_list_path(made.path(".shardmill")));
    EXPECT_FALSE(finish_publishing(made.folder()));
  }
}

}  // namespace
}  // namespace shardmill::dataset
