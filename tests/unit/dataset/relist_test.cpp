#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

std::vector<std::string> wanted(const std::string& root) {
  return {root + "/shards/audio_000000000.tar", root + "/shards/audio_000000001.tar"};
}

TEST(Relist, ListsNameTheNewPlaceAndAllRecordsAgree) {
  MadeDataset made;
  const auto written = relist(made.folder(), "/elsewhere", made.workers(), made.reporter());
  EXPECT_EQ(manifest::read_list(made.path("data.list")), wanted("/elsewhere"));
  EXPECT_NE(std::find(written.begin(), written.end(), "data.list"), written.end());
  const DatasetRecords records = sound_records(made.folder());
  EXPECT_EQ(records.given_list_root(), "/elsewhere");
  EXPECT_EQ(records.run->list_root, "/elsewhere");
}

TEST(Relist, ThereAndBackIsAsBefore) {
  MadeDataset made;
  const std::string list = made.read("data.list");
  relist(made.folder(), "/elsewhere", made.workers(), made.reporter());
  relist(made.folder(), made.folder(), made.workers(), made.reporter());
  EXPECT_EQ(made.read("data.list"), list);
  EXPECT_NO_THROW(sound_records(made.folder()));
}

TEST(Relist, ARootThatAListCannotHoldChangesNothing) {
  MadeDataset made;
  const std::string list = made.read("data.list");
  EXPECT_THROW(relist(made.folder(), "/two\nlines", made.workers(), made.reporter()), Error);
  EXPECT_EQ(made.read("data.list"), list);
}

}  // namespace
}  // namespace shardmill::dataset
