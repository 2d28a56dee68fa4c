// AN4: etc/an4_SPLIT.transcription, lines like "<s> RUBOUT G M </s> (an251-fash-b)", and
// wav/*/SPEAKER/an251-fash-b.sph.
#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class An4 final : public TreeTable {
 public:
  explicit An4(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "an4_train.transcription|an4_test.transcription"}) {}

  void read_transcripts(const TreeText& text) override {
    const std::string_view split = path_part(text.path, 0) == "an4_test.transcription" ? "test" : "train";
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::size_t begin = line.rfind('(');
      if (begin == line.npos || !line.ends_with(')')) throw Error("does not end with (ID)");
      const std::string id(line.substr(begin + 1, line.size() - begin - 2));
      Row& row = add(id, words_of(line.substr(0, begin)), text, number);
      row.speaker = speaker_of(id);
      row.subsets = {std::string(split)};
    });
  }

 private:
  /// Without the signs for its beginning and end.
  static std::string_view words_of(std::string_view line) {
    constexpr std::string_view kBegin = "<s>";
    constexpr std::string_view kEnd = "</s>";
    line = base::trimmed(line);
    if (line.starts_with(kBegin)) line.remove_prefix(kBegin.size());
    if (line.ends_with(kEnd)) line.remove_suffix(kEnd.size());
    return base::trimmed(line);
  }

  /// "fash" of "an251-fash-b".
  static std::string speaker_of(std::string_view id) {
    const std::size_t first = id.find('-');
    const std::size_t last = id.rfind('-');
    return first == last ? std::string() : std::string(id.substr(first + 1, last - first - 1));
  }

  void describe(std::string_view, const Row* row, TreeUtterance& utterance) const override {
    const std::string speaker = speaker_of(utterance.key);
    if (row == nullptr) utterance.facts.text("speaker", speaker);
    utterance.facts.text("gender", std::string_view(speaker).substr(0, 1)).language("en");
  }
};

}  // namespace

constinit const Corpus kAn4{.prefix = "an4",
                            .name = "AN4",
                            .texts = "*/etc/an4_*.transcription",
                            .audio = "*/wav/an4*_clstk/*",
                            .needed = "etc/an4_train.transcription",
                            .in_archive = "*/etc/an4_*.transcription|*/wav/an4*_clstk/*",
                            .splits = Splits::together,
                            .make = make_tree<An4>};

}  // namespace shardmill::source
