// aidatatang_200zh: transcript/aidatatang_200_zh_transcript.txt and corpus/SPLIT/SPEAKER/ID.wav, as it is
// downloaded with an archive a speaker.
#include "source/corpora/list.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Aidatatang final : public TreeTable {
 public:
  explicit Aidatatang(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "aidatatang_200_zh_transcript.txt", .covers = TableFiles::Covers::corpus}) {
  }

  Packed packed() const override { return Packed::by_name; }

 private:
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view split = folder_among(audio, {"train", "dev", "test"});
    if (!split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kAidatatang{
    .prefix = "aidatatang",
    .name = "aidatatang_200zh",
    .texts =
        "*/aidatatang_200_zh_transcript.txt|*/dev/*/T0055G[0-9]*S[0-9]*.txt|*/test/*/T0055G[0-9]*S[0-9]*.txt",
    .audio = "*/T0055G[0-9]*S[0-9]*|*/corpus/*/G[0-9][0-9][0-9][0-9].tar.gz",
    .needed = "transcript/aidatatang_200_zh_transcript.txt",
    .splits_table = "*/aidatatang_200_zh_transcript.txt",
    .in_archive = "*/aidatatang_200_zh_transcript.txt|*/corpus/*/G[0-9]*",
    .has_text_beside = true,
    .splits = Splits::together,
    .make = make_tree<Aidatatang>};

}  // namespace shardmill::source
