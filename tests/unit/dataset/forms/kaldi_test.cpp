#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

TEST(KaldiForm, LinesOfAudioSortedByKey) {
  testing::WrittenForm form("kaldi");
  const WrittenIndexes written = form.write(2);
  std::vector<std::string> names;
  for (const manifest::Checksum& file : written.files) names.push_back(file.path);
  std::vector<std::string> announced = form.names(2);
  std::sort(announced.begin(), announced.end());
  EXPECT_EQ(names, announced);
  const std::string audio = form.read("kaldi/wav.scp");
  std::istringstream in(audio);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_EQ(lines.size(), MadeDataset::kSamples);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  EXPECT_NE(audio.find(" '/r/shards/audio_000000000.tar' | head -c "), std::string::npos) << audio;
  const std::string places = form.read("kaldi/kaldiio.scp");
  EXPECT_NE(places.find(" /r/shards/audio_000000000.tar:"), std::string::npos) << places;
}

class KaldiAudio : public ::testing::Test {
 protected:
  std::size_t findings() {
    FindingList found;
    FindingList of_records;
    check_placed_files(read_records(made_.folder(), of_records), made_.reporter(), found);
    return found.take().size();
  }

  MadeDataset made_{[](repack::RepackOptions& options) { options.recipe.indexes = {form_named("kaldi")}; }};
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
  EXPECT_EQ(write_placed_files(records, "/elsewhere", made_.reporter()),
            (std::vector<std::string>{"kaldi/wav.scp", "kaldi/kaldiio.scp"}));
  EXPECT_NE(made_.read("kaldi/wav.scp").find(" '/elsewhere/shards/"), std::string::npos);
  EXPECT_EQ(findings(), 2u);  // data.list still names this place
  write_placed_files(records, records.list_root(), made_.reporter());
  EXPECT_EQ(made_.read("kaldi/wav.scp"), before);
}

}  // namespace
}  // namespace shardmill::dataset
