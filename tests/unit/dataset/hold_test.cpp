#include "dataset/hold.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

TEST(DatasetHold, SeesThatTheDatasetWasReplaced) {
  MadeDataset made;
  const DatasetHold hold = DatasetHold::to_read(made.folder());
  EXPECT_NO_THROW(hold.check_same());
  const std::string record = made.read("dataset.json");
  made.write("new", record);
  std::filesystem::rename(made.path("new"), made.path("dataset.json"));  // the same bytes, another file
  EXPECT_THROW(hold.check_same(), Error);
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_THROW(hold.check_same(), Error);
}

TEST(DatasetHold, ReadersTakeNoLockAndNeedNone) {
  MadeDataset made;
  const DatasetHold writer = DatasetHold::to_write(made.folder(), "one", made.reporter());
  EXPECT_NO_THROW(DatasetHold::to_read(made.folder()).check_same());
  EXPECT_NO_THROW(writer.check_same());
}

TEST(DatasetHold, AWriterWaitsForAnother) {
  MadeDataset made;
  auto first = std::make_unique<DatasetHold>(DatasetHold::to_write(made.folder(), "one", made.reporter()));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    first.reset();
  });
  DatasetHold::to_write(made.folder(), "two", made.reporter()).check_same();
  other.join();
  EXPECT_EQ(first, nullptr);
}

TEST(DatasetHold, WaitingEndsWithASignal) {
  MadeDataset made;
  const DatasetHold first = DatasetHold::to_write(made.folder(), "one", made.reporter());
  made.reporter().signal = SIGTERM;
  EXPECT_THROW(DatasetHold::to_write(made.folder(), "two", made.reporter()), Interrupted);
}

TEST(DatasetHold, NobodyWaitsForARunThatMakesTheDatasetAnew) {
  MadeDataset made;
  const DatasetHold first = DatasetHold::to_write(made.folder(), "repack --force", made.reporter());
  made.write(".shardmill/scratch", "");
  try {
    DatasetHold::to_write(made.folder(), "ranks", made.reporter());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("repack --force"), std::string::npos) << error.problem();
  }
}

}  // namespace
}  // namespace shardmill::dataset
