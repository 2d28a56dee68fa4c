#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

std::string recording(const std::string& id, const std::string& path) {
  return R"({"id":")" + id + R"(","sources":[{"type":"file","channels":[0],"source":")" + path +
         R"("}],"sampling_rate":8000,"num_samples":80000,"duration":10})" + "\n";
}

std::string said(const std::string& id, const std::string& of, const std::string& times) {
  return R"({"id":")" + id + R"(","recording_id":")" + of + R"(",)" + times + R"(,"channel":0,"text":"of )" +
         id + R"("})" + "\n";
}

class LhotseTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& name = "m", const CorpusOptions& options = {}) {
    return read_as(kLhotse, name, options);
  }
};

TEST_F(LhotseTest, SupervisionsCutTheirRecordings) {
  folder_.write("m/r.wav", "x");
  folder_.write("m/c_recordings_train.jsonl", recording("r", "r.wav"));
  folder_.write("m/c_supervisions_train.jsonl", said("a", "r", R"("start":0.5,"duration":2)") +
                                                    said("b", "r", R"("start":0,"duration":10)") +
                                                    said("c", "other", R"("start":0,"duration":1)"));
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_), ElementsAre(R"(m/r.wav b 'of b' {"subset":"train"})",
                                                    R"(m/r.wav a [0.5 2.5] 'of a' {"subset":"train"})"));
  EXPECT_THAT(unusable_lines(files), ElementsAre(HasSubstr("line 3: the recording 'other' is not in")));
  // A whole recording must be as long as the manifest says.
  ASSERT_EQ(files.audio.size(), 1U);
  for (const CorpusUtterance& utterance : files.audio[0].utterances) {
    EXPECT_EQ(utterance.keeps_to_seconds, utterance.key == "b");
    EXPECT_EQ(utterance.recording_seconds, 10);
  }
}

TEST_F(LhotseTest, NamesOfManifestsAreSubsets) {
  folder_.write("m/r.wav", "x");
  for (const std::string subset : {"train", "dev"}) {
    folder_.write("m/c_recordings_" + subset + ".jsonl", recording("r", "r.wav"));
    folder_.write("m/c_supervisions_" + subset + ".jsonl",
                  said(subset + "-a", "r", R"("start":1,"duration":2)"));
  }
  CorpusOptions options;
  options.tree.subsets = {"dev"};
  EXPECT_THAT(lines_of(read("m", options), folder_),
              ElementsAre(R"(m/r.wav dev-a [1 3] 'of dev-a' {"subset":"dev"})"));
}

TEST_F(LhotseTest, ManifestsThatDoNotFit) {
  folder_.write("m/c_supervisions_train.jsonl", said("a", "r", R"("start":0,"duration":1)"));
  EXPECT_THAT(problem_as(kLhotse, "m"), HasSubstr("has no manifest of recordings beside it"));
  folder_.write("m/c_recordings_train.jsonl", recording("r", "r.wav") + recording("r", "r.wav"));
  EXPECT_THAT(problem_as(kLhotse, "m"), HasSubstr("line 2: has an id that an earlier recording has"));
}

TEST_F(LhotseTest, ASupervisionOfACutThatCannotBeRead) {
  folder_.write("m/r.wav", "x");
  const std::string of_cut = recording("r", "r.wav");
  folder_.write("m/cuts.jsonl",
                R"({"id":"c","start":1,"duration":8,"channel":0,"type":"MonoCut","supervisions":[)"
                R"({"id":"s1","start":0.5,"text":"x"},{"id":"s2","start":2,"duration":1,"text":"y"}],)"
                R"("recording":)" +
                    of_cut.substr(0, of_cut.size() - 1) + "}\n");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("m/r.wav s2 [3 4] 'y'"));
  EXPECT_THAT(unusable_lines(files), ElementsAre(HasSubstr("segment s1: ")));
}

}  // namespace
}  // namespace shardmill::source
