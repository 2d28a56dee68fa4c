// VCTK: txt/SPEAKER/SPEAKER_NUMBER.txt, and in wav48*/SPEAKER/ the audio of one or of two microphones.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Vctk final : public TreeTable {
 public:
  explicit Vctk(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .speakers = "speaker-info.txt"}) {}

  Role role(std::string_view path) const override {
    const bool is_transcript = path.ends_with(".txt") && path_part(path, 2) == "txt";
    return is_transcript ? Role::text : TreeTable::role(path);
  }
  std::string_view awaited(std::string_view path) const override {
    return utterance_of(audio_name(path).stem);
  }

  void read_transcripts(const TreeText& text) override {
    add(stem_of(text.path), whole_transcript(text), text);
  }
  void read_speakers(const TreeText& text) override {
    TreeLines lines(text);
    for (std::string_view line; lines.next(line);) {
      const std::string_view id = take_field(line);
      take_field(line);
      const std::string_view gender = take_field(line);
      const std::string speaker = (id.starts_with('p') || id.starts_with('s') ? "" : "p") + std::string(id);
      if (gender != "GENDER") set_gender(speaker, gender);
    }
  }

 private:
  /// "p225_001" of "p225_001_mic1".
  static std::string_view utterance_of(std::string_view stem) {
    const std::size_t mic = stem.find("_mic");
    return stem.substr(0, mic);
  }
  /// Each microphone has a key of its own.
  bool loses_by_key() const override { return false; }
  std::string id_of(std::string_view audio) const override {
    return std::string(utterance_of(audio_name(audio).stem));
  }

  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, utterance.key.find('_'));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker)).language("en");
  }
};

}  // namespace

constinit const Corpus kVctk{.prefix = "vctk",
                             .name = "VCTK",
                             .texts = "*/txt/*.txt|*/txt",
                             .beside_texts = "*/wav48*/*",
                             .audio = "*/wav48*/p[0-9]*",
                             .needed = "txt/",
                             .in_archive = "*/wav48*/[ps][0-9]*/*",
                             .speakers = {"gender", "speaker-info.txt"},
                             .splits = Splits::none,
                             .make = make_tree<Vctk>};

}  // namespace shardmill::source
