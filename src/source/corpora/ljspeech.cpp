// LJSpeech: wavs/ID.wav, and metadata.csv with lines of ID|raw text|normalised text.
#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class LjSpeech final : public TreeTable {
 public:
  explicit LjSpeech(TreeOptions options)
      : TreeTable(
            std::move(options),
            {.transcripts = "metadata.csv", .may_be_above = true, .covers = TableFiles::Covers::corpus}) {}

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const auto fields = split_fields(line, '|');
      if (fields.size() < 2) throw Error("is not made of an id and its texts, with | between them");
      const bool wants_raw = options().text_field == "raw" || fields.size() < 3 || fields[2].empty();
      add(std::string(fields[0]), fields[wants_raw ? 1 : 2], text, number);
    });
  }

 private:
  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    // Many corpora of other speakers have the same form.
    if (utterance.key.starts_with("LJ"))
      utterance.facts.text("speaker", "LJ").text("gender", "F").language("en");
  }
};

}  // namespace

constinit const Corpus kLjSpeech{.prefix = "ljspeech",
                                 .name = "LJSpeech",
                                 .texts = "*/metadata.csv",
                                 .beside_texts = "*/wavs/*",
                                 .audio = "*/LJ[0-9][0-9][0-9]-[0-9][0-9][0-9][0-9].*",
                                 .needed = "metadata.csv",
                                 .in_archive = "*/wavs/LJ0*",
                                 .text_fields = "normalized|raw",
                                 .splits = Splits::none,
                                 .make = make_tree<LjSpeech>};

}  // namespace shardmill::source
