#include "dataset/kaldi_audio.hpp"

#include <gtest/gtest.h>

#include "manifest/index_kind.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

class KaldiAudio : public ::testing::Test {
 protected:
  std::size_t findings() {
    FindingList found;
    FindingList of_records;
    check_kaldi_audio(read_records(made_.folder(), of_records), made_.reporter(), found);
    return found.take().size();
  }

  MadeDataset made_{
      [](repack::RepackOptions& options) { options.recipe.indexes = {manifest::IndexKind::kaldi}; }};
};

TEST_F(KaldiAudio, AsItWasWritten) {
  EXPECT_EQ(findings(), 0u);
}

TEST_F(KaldiAudio, AnyOtherTextIsAFinding) {
  for (const char* const name : {"kaldi/wav.scp", "kaldi/kaldiio.scp"}) {
    const std::string whole = made_.read(name);
    for (const std::string& bad :
         {std::string(), whole.substr(0, whole.size() - 1), whole + "x y:1\n", "x" + whole}) {
      made_.write(name, bad);
      EXPECT_EQ(findings(), 1u) << bad;
    }
    std::filesystem::remove(made_.path(name));
    EXPECT_EQ(findings(), 1u);
    made_.write(name, whole);
  }
}

TEST_F(KaldiAudio, WrittenForAnotherPlace) {
  FindingList none;
  const DatasetRecords records = read_records(made_.folder(), none);
  const std::string before = made_.read("kaldi/wav.scp");
  write_kaldi_audio(records, "/elsewhere", made_.reporter());
  EXPECT_NE(made_.read("kaldi/wav.scp").find(" '/elsewhere/shards/"), std::string::npos);
  EXPECT_EQ(findings(), 2u);  // data.list still names this place
  write_kaldi_audio(records, records.list_root(), made_.reporter());
  EXPECT_EQ(made_.read("kaldi/wav.scp"), before);
}

}  // namespace
}  // namespace shardmill::dataset
