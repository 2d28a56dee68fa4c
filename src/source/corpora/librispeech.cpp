// LibriSpeech: SUBSET/SPEAKER/CHAPTER/SPEAKER-CHAPTER-NUMBER.flac, and beside them the texts of the chapter.
#include <fmt/format.h>

#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class LibriSpeech final : public TreeTable {
 public:
  explicit LibriSpeech(TreeOptions options)
      : TreeTable(
            std::move(options),
            {.transcripts = ".trans.txt", .speakers = "SPEAKERS.TXT", .covers = TableFiles::Covers::folder}) {
  }

  std::string_view awaited(std::string_view path) const override { return folder_of(path); }

 private:
  /// Lines like "14 | F | train-clean-360 | 25.03 | Kristin LeMoine", some of them not in UTF-8.
  void read_speakers(const TreeText& text) override {
    std::string_view rest = text.content;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto fields = split_fields(rest.substr(0, end), '|');
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (fields.size() > 1 && (fields[1] == "F" || fields[1] == "M")) set_gender(fields[0], fields[1]);
    }
  }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string_view id = utterance.key;
    const std::size_t first = id.find('-');
    const std::size_t last = id.rfind('-');
    if (first == last) return;
    const std::string speaker(id.substr(0, first));
    const std::string_view chapter = id.substr(first + 1, last - first - 1);
    utterance.facts.text("speaker", speaker).text("chapter", chapter).text("gender", gender_of(speaker));
    if (path_part(audio, 1) == chapter && path_part(audio, 2) == speaker && !path_part(audio, 3).empty())
      utterance.subsets.emplace_back(path_part(audio, 3));
  }
};

/// SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt; other chapters of the folder may have lost theirs.
std::optional<CorpusPlace> place_by_chapter(const std::string& file,
                                            const std::function<bool(const std::string&)>&) {
  if (!file.ends_with(".trans.txt")) return std::nullopt;
  const std::string_view speaker = folder_of(folder_of(file));
  const bool is_usual =
      path_part(file, 0) == fmt::format("{}-{}.trans.txt", path_part(file, 2), path_part(file, 1));
  const std::string folder(is_usual ? folder_of(speaker) : speaker);
  return CorpusPlace{.folder = folder, .claimed = folder, .claims_shards = false};
}

}  // namespace

constinit const Corpus kLibriSpeech{
    .prefix = "librispeech",
    .name = "LibriSpeech",
    .texts = "*.trans.txt",
    .audio = "*/[0-9]*-[0-9]*-[0-9][0-9][0-9][0-9].flac",
    .needed = "*.trans.txt",
    .shared_ending = ".trans.txt",
    .place_by = place_by_chapter,
    .in_archive = "*/[0-9]*/[0-9]*/[0-9]*-[0-9]*-[0-9][0-9][0-9][0-9].flac|*/[0-9]*/[0-9]*/[0-9]*.trans.txt",
    .speakers = {"gender", "SPEAKERS.TXT"},
    .make = make_tree<LibriSpeech>};

}  // namespace shardmill::source
