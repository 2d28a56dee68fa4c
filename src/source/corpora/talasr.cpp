// TAL-ASR: aisolution_data/transcript/transcript.txt, and wav/SPLIT/SPEAKER/ID.wav.
#include "source/corpora/list.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class TalAsr final : public TreeTable {
 public:
  explicit TalAsr(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "transcript.txt", .covers = TableFiles::Covers::corpus}) {}

 private:
  std::string listed_in(std::string_view) const override { return "transcript/transcript.txt"; }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1)).language("zh");
    const std::string_view split = folder_among(audio, {"train", "dev", "test"});
    if (!split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kTalAsr{.prefix = "talasr",
                               .name = "TAL-ASR",
                               .texts = "*/aisolution_data/transcript/transcript.txt",
                               .audio = "*/aisolution_data/wav/*/*/*.wav",
                               .needed = "transcript/transcript.txt",
                               .in_archive = "*/aisolution_data/transcript/*|*/aisolution_data/wav/*",
                               .splits = Splits::together,
                               .make = make_tree<TalAsr>};

}  // namespace shardmill::source
