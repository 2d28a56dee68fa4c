#include "check/verify/kept_check.hpp"

#include <gtest/gtest.h>

#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

// What a server keeps is compared in tests/e2e/remote_dataset_test.py, with a server.

TEST(KeptCheck, ADiskKeepsNothing) {
  const testing::MadeDataset made;
  FindingList list;
  EXPECT_FALSE(has_kept_sums(dataset::read_records(made.folder(), list)));
  made.write("dataset.json", "");
  EXPECT_FALSE(has_kept_sums(dataset::read_records(made.folder(), list)));
}

}  // namespace
}  // namespace shardmill::check
