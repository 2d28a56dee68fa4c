// LibriTTS: SUBSET/SPEAKER/CHAPTER/ID.wav, and beside it ID.normalized.txt and ID.original.txt.
#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class LibriTts final : public TreeTable {
 public:
  explicit LibriTts(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = options.text_field == "original" ? ".original.txt" : ".normalized.txt",
                   .speakers = "speakers.tsv|SPEAKERS.txt|SPEAKERS.TXT"}) {}

  std::string_view awaited(std::string_view path) const override {
    return path.substr(0, path.find('.', folder_of(path).size()));
  }

  void read_transcripts(const TreeText& text) override {
    const std::string_view name = path_part(text.path, 0);
    add(std::string(name.substr(0, name.size() - suffix().size())), whole_transcript(text), text);
  }

 private:
  std::string_view suffix() const {
    return options().text_field == "original" ? ".original.txt" : ".normalized.txt";
  }

  /// "READER\tGENDER\t..." or "14 | F | train-clean-360 | ...".
  void read_speakers(const TreeText& text) override {
    std::string_view rest = text.content;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto fields = split_fields(line, line.find('|') == line.npos ? '\t' : '|');
      if (fields.size() > 1 && (fields[1] == "F" || fields[1] == "M")) set_gender(fields[0], fields[1]);
    }
  }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string& id = utterance.key;
    const std::size_t first = id.find('_');
    if (first == id.npos) return;
    const std::string speaker = id.substr(0, first);
    const std::string chapter = id.substr(first + 1, id.find('_', first + 1) - first - 1);
    utterance.facts.text("speaker", speaker).text("chapter", chapter).text("gender", gender_of(speaker));
    utterance.facts.language("en");
    if (path_part(audio, 2) == speaker && !path_part(audio, 3).empty())
      utterance.subsets.emplace_back(path_part(audio, 3));
  }
};

}  // namespace

constinit const Corpus kLibriTts{
    .prefix = "libritts",
    .name = "LibriTTS",
    .texts = "*.normalized.txt",
    .audio = "*/[0-9]*_[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9][0-9][0-9].wav",
    .needed = "a .normalized.txt beside each .wav",
    .in_archive = "*/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9][0-9][0-9].*",
    .text_fields = "normalized|original",
    .speakers = {"gender", "speakers.tsv"},
    .make = make_tree<LibriTts>};

}  // namespace shardmill::source
