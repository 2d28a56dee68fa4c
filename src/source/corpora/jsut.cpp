// JSUT: PART/transcript_utf8.txt, lines of id and text with a colon between them, and PART/wav/ID.wav.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Jsut final : public TreeTable {
 public:
  explicit Jsut(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "transcript_utf8.txt",
                                       .may_be_above = true,
                                       .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override {
    return is_audio_name(path) ? folder_of(folder_of(path)) : folder_of(path);
  }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::size_t colon = line.find(':');
      if (colon == line.npos) throw Error("is not made of an id and its text, with : between them");
      add(std::string(line.substr(0, colon)), line.substr(colon + 1), text, number);
    });
  }

 private:
  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", "JSUT").text("gender", "female").language("ja");
  }
};

}  // namespace

constinit const Corpus kJsut{.prefix = "jsut",
                             .name = "JSUT",
                             .texts = "*/transcript_utf8.txt",
                             .beside_texts = "*/wav/*",
                             .audio = "*/wav/BASIC5000_[0-9]*.wav",
                             .needed = "transcript_utf8.txt",
                             .in_archive = "*/transcript_utf8.txt|*/wav/BASIC5000_[0-9]*.wav",
                             .splits = Splits::none,
                             .make = make_tree<Jsut>};

}  // namespace shardmill::source
