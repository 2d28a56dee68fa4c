// MagicData: SPLIT/TRANS.txt, a table of utterance, speaker and text, and SPLIT/SPEAKER/ID.wav.
#include "source/corpora/list.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class MagicData final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    return name == "TRANS.txt" || name == "SPKINFO.txt" ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    if (name == "TRANS.txt") return Above::transcripts;
    return name == "SPKINFO.txt" ? Above::remarks : Above::no;
  }
  std::string_view awaited(std::string_view path) const override {
    return is_audio_name(path) ? folder_of(folder_of(path)) : folder_of(path);
  }

  bool awaits_remarks() const override { return !has_speakers_; }

  void read(const TreeText& text) override {
    const bool is_speakers = path_part(text.path, 0) == "SPKINFO.txt";
    has_speakers_ = has_speakers_ || is_speakers;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      if (is_speakers) {
        std::string_view rest = line;
        const std::string speaker(take_field(rest));
        take_field(rest);
        const std::string_view gender = take_field(rest);
        if (gender == "male" || gender == "female") set_gender(speaker, gender);
        return;
      }
      const std::string_view file = take_field(line);
      if (file == "UtteranceID") return;
      const std::string_view speaker = take_field(line);
      Row& row = add(stem_of(file), line, text, number);
      row.speaker = speaker;
      // metadata.tar.gz may hold the texts of all: then the folder of the audio tells.
      const std::string_view folder = path_part(text.path, 1);
      if (!folder.empty() && folder != "metadata") row.subsets = {std::string(folder)};
    });
    if (!is_speakers) set_read(std::string(folder_of(text.path)));
  }

 private:
  std::string scope_of(std::string_view audio) const override { return std::string(awaited(audio)); }

  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (row == nullptr) utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view folder = path_part(audio, 2);
    if (utterance.subsets.empty() && !folder.empty()) utterance.subsets.emplace_back(folder);
  }

  bool has_speakers_ = false;
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
