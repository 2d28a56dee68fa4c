// AISHELL-3: SPLIT/content.txt, of characters and their pinyin by turns, and SPLIT/wav/SPEAKER/ID.wav.
#include "source/corpora/list.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Aishell3 final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    return name == "content.txt" || name == "spk-info.txt" ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    if (name == "content.txt") return Above::transcripts;
    return name == "spk-info.txt" ? Above::remarks : Above::no;
  }
  std::string_view awaited(std::string_view path) const override {
    const std::size_t wav = path.rfind("/wav/");
    return wav == path.npos ? folder_of(path) : path.substr(0, wav);
  }

  bool awaits_remarks() const override { return !has_speakers_; }

  void read(const TreeText& text) override {
    TreeLines lines(text);
    if (path_part(text.path, 0) == "spk-info.txt") {
      has_speakers_ = true;
      for (std::string_view line; lines.next(line);) {
        const auto fields = split_fields(line, '\t');
        if (!line.starts_with('#') && fields.size() > 2) set_gender(fields[0], fields[2]);
      }
      return;
    }
    for (std::string_view line; lines.next(line);) {
      const std::string_view file = take_field(line);
      try {
        add(stem_of(file), transcript(line), text, lines.line_number()).subsets = {
            std::string(path_part(text.path, 1))};
      } catch (const Error& error) {
        throw lines.here(error);
      }
    }
    set_read(std::string(folder_of(text.path)));
  }

 private:
  /// Characters stand at even places, their pinyin at odd ones.
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

  std::string scope_of(std::string_view audio) const override { return std::string(awaited(audio)); }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, 7);
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    const std::string_view split = folder_among(audio, {"train", "test"});
    if (utterance.subsets.empty() && !split.empty()) utterance.subsets.emplace_back(split);
  }

  bool has_speakers_ = false;
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
