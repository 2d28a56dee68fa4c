// MagicData: SPLIT/TRANS.txt, a table of utterance, speaker and text, and SPLIT/SPEAKER/ID.wav.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class MagicData final : public TreeTable {
 public:
  explicit MagicData(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "TRANS.txt",
                                       .speakers = "SPKINFO.txt",
                                       .may_be_above = true,
                                       .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override {
    return is_audio_name(path) ? folder_of(folder_of(path)) : folder_of(path);
  }

  void read_speakers(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const std::string speaker(take_field(line));
      take_field(line);
      const std::string_view gender = take_field(line);
      if (gender == "male" || gender == "female") set_gender(speaker, gender);
    });
  }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string_view file = take_field(line);
      if (file == "UtteranceID") return;
      const std::string_view speaker = take_field(line);
      Row& row = add(stem_of(file), line, text, number);
      row.speaker = speaker;
      // metadata.tar.gz may hold the texts of all subsets; then the folder of the audio has the subset.
      const std::string_view folder = path_part(text.path, 1);
      if (!folder.empty() && folder != "metadata") row.subsets = {std::string(folder)};
    });
  }

 private:
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (row == nullptr) utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view folder = path_part(audio, 2);
    if (utterance.subsets.empty() && !folder.empty()) utterance.subsets.emplace_back(folder);
  }
};

}  // namespace

constinit const Corpus kMagicData{.prefix = "magicdata",
                                  .name = "MagicData",
                                  .texts = "*/TRANS.txt",
                                  .audio = "*/[0-9]*_[0-9]*_201[0-9][0-9][0-9][0-9][0-9][0-9]*.wav",
                                  .needed = "TRANS.txt",
                                  .in_archive = "*/TRANS.txt|*/[0-9]*_[0-9]*/[0-9]*_[0-9]*_201[0-9]*.wav",
                                  .speakers = {"gender", "SPKINFO.txt"},
                                  .make = make_tree<MagicData>};

}  // namespace shardmill::source
