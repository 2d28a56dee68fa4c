// SPGISpeech: SPLIT.csv, with | between its columns, and SPLIT/CALL/NUMBER.wav.
#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class SpgiSpeech final : public TreeTable {
 public:
  explicit SpgiSpeech(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "train.csv|val.csv|test.csv", .may_be_above = true}) {}

  void read_transcripts(const TreeText& text) override {
    for_each_row(text, '|', {"wav_filename", "transcript"}, [&](const TreeRow& fields) {
      const std::string_view file = fields["wav_filename"];
      Row& row = add(name_of(file), fields["transcript"], text, fields.line_number());
      row.subsets = {stem_of(text.path)};
      row.facts.text("recording", path_part(file, 1)).language("en");
    });
  }

 private:
  /// "CALL_16" of "CALL/16.wav".
  static std::string name_of(std::string_view path) {
    return std::string(path_part(path, 1)) + "_" + stem_of(path);
  }
  std::string id_of(std::string_view audio) const override { return name_of(audio); }
  std::string key_of(std::string_view audio) const override { return name_of(audio); }
  std::string listed_in(std::string_view) const override { return "train.csv, val.csv or test.csv"; }
  /// The split is the folder of the call's folder.
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    const std::string_view split = path_part(audio, 2);
    if (row == nullptr && (split == "train" || split == "val" || split == "test"))
      utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kSpgiSpeech{
    .prefix = "spgispeech",
    .name = "SPGISpeech",
    .texts = "*/train.csv|*/val.csv|*/test.csv",
    .beside_texts = "*/[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav",
    .needed = "train.csv",
    .in_archive =
        "*/train/[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|*/val/"
        "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|*/test/"
        "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|*/spgispeech/*.csv",
    .make = make_tree<SpgiSpeech>};

}  // namespace shardmill::source
