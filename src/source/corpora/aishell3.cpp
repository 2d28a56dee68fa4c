// AISHELL-3: SPLIT/content.txt, of characters and their pinyin by turns, and SPLIT/wav/SPEAKER/ID.wav.
#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Aishell3 final : public TreeTable {
 public:
  explicit Aishell3(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "content.txt",
                                       .speakers = "spk-info.txt",
                                       .may_be_above = true,
                                       .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override { return folder_above(path, "/wav/"); }

  void read_speakers(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const auto fields = split_fields(line, '\t');
      if (!line.starts_with('#') && fields.size() > 2) set_gender(fields[0], fields[2]);
    });
  }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string_view file = take_field(line);
      add(stem_of(file), transcript(line), text, number).subsets = {std::string(path_part(text.path, 1))};
    });
  }

 private:
  /// Characters and their pinyin alternate.
  std::string transcript(std::string_view line) const {
    const bool wants_pinyin = options().text_field == "pinyin";
    std::string text;
    for (std::size_t i = 0; !line.empty(); ++i) {
      const std::string_view field = take_field(line);
      if ((i % 2 == 1) != wants_pinyin) continue;
      if (wants_pinyin && !text.empty()) text += ' ';
      text += field;
    }
    return text;
  }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, 7);
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    const std::string_view split = folder_among(audio, {"train", "test"});
    if (utterance.subsets.empty() && !split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kAishell3{.prefix = "aishell3",
                                 .name = "AISHELL-3",
                                 .texts = "*/content.txt",
                                 .audio = "*/SSB[0-9][0-9][0-9][0-9]*.wav",
                                 .needed = "content.txt",
                                 .in_archive = "*/content.txt|*/wav/SSB[0-9][0-9][0-9][0-9]/SSB*.wav",
                                 .text_fields = "characters|pinyin",
                                 .speakers = {"gender", "spk-info.txt"},
                                 .splits = Splits::together,
                                 .make = make_tree<Aishell3>};

}  // namespace shardmill::source
