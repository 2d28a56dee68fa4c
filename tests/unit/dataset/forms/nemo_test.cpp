#include <gtest/gtest.h>

#include <filesystem>

#include "dataset/form_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

class NemoInput : public ::testing::Test {
 protected:
  DatasetRecords records() {
    FindingList ignored;
    return read_records(made_.folder(), ignored);
  }

  std::size_t findings() {
    FindingList found;
    check_placed_files(records(), made_.reporter(), found);
    return found.take().size();
  }

  MadeDataset made_{[](repack::RepackOptions& options) { options.recipe.indexes = {form_named("nemo")}; }};
};

TEST_F(NemoInput, AnyOtherTextIsAFinding) {
  EXPECT_EQ(findings(), 0u);
  const std::string whole = made_.read("nemo/input_cfg.yaml");
  for (const std::string& bad :
       {std::string(), whole.substr(0, whole.size() - 1), whole + "\n", "x" + whole}) {
    made_.write("nemo/input_cfg.yaml", bad);
    EXPECT_EQ(findings(), 1u) << bad;
  }
  std::filesystem::remove(made_.path("nemo/input_cfg.yaml"));
  EXPECT_EQ(findings(), 1u);
}

TEST_F(NemoInput, PathsOfAnotherRoot) {
  write_placed_files(records(), "/else where", made_.reporter());
  EXPECT_NE(
      made_.read("nemo/input_cfg.yaml").find("\"/else where/shards/audio__OP_000000000..000000001_CL_.tar\""),
      std::string::npos);
  EXPECT_EQ(findings(), 1u);  // data.list says otherwise
}

}  // namespace
}  // namespace shardmill::dataset
