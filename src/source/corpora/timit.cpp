// TIMIT: SPLIT/DIALECT/SPEAKER/ID.WAV, and ID.TXT of "0 46797 She had your dark suit ..." beside it; in
// capitals or not.
#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Timit final : public TreeTable {
 public:
  explicit Timit(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ""}) {}

  Role role(std::string_view path) const override {
    // Some have a copy, ID.WAV.wav, of each.
    if (is_audio_name(path)) return is_audio_name(without_extension(path)) ? Role::other : Role::audio;
    return has_extension(path, "txt") && base::lower(path_part(path, 2)).starts_with("dr") ? Role::text
                                                                                           : Role::other;
  }
  std::string_view awaited(std::string_view path) const override { return without_extension(path); }

  void read_transcripts(const TreeText& text) override {
    const std::string whole = whole_transcript(text);
    std::string_view rest = whole;
    const auto is_number = [](std::string_view field) {
      return !field.empty() && field.find_first_not_of("0123456789") == field.npos;
    };
    if (!is_number(take_field(rest)) || !is_number(take_field(rest)))
      throw Error("does not start with the first and the last value of the stretch that the text belongs to",
                  at(text.place));
    add(name_of(text.path), rest, text);
  }

 private:
  /// "FCJF0_SA1": each speaker reads an SA1.
  static std::string name_of(std::string_view path) {
    return std::string(path_part(path, 1)) + "_" + stem_of(path);
  }
  std::string id_of(std::string_view audio) const override { return name_of(audio); }
  std::string key_of(std::string_view audio) const override { return name_of(audio); }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string_view speaker = path_part(audio, 1);
    utterance.facts.text("speaker", speaker).text("gender", speaker.substr(0, 1));
    utterance.facts.text("dialect", path_part(audio, 2)).language("en");
    if (const std::string split = base::lower(path_part(audio, 3)); split == "train" || split == "test")
      utterance.subsets.push_back(split);
  }
};

}  // namespace

constinit const Corpus kTimit{.prefix = "timit",
                              .name = "TIMIT",
                              .texts = "*/[Dd][Rr][1-8]/*/*.[Tt][Xx][Tt]",
                              .beside_texts = "*/[Dd][Rr][1-8]/*/*.[Ww][Aa][Vv]",
                              .audio = "*/[Dd][Rr][1-8]/*/[Ss][AaIiXx][0-9]*.[Ww][Aa][Vv]",
                              .needed = "a .TXT beside each .WAV",
                              .in_archive = "*/[Dd][Rr][1-8]/*/[Ss][AaIiXx][0-9]*.[Ww][Aa][Vv]",
                              .has_text_beside = true,
                              .splits = Splits::together,
                              .make = make_tree<Timit>};

}  // namespace shardmill::source
