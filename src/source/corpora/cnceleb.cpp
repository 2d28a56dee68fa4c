// CN-Celeb 1 and 2: data/SPEAKER/GENRE-01-001.flac, eval/enroll/SPEAKER-enroll.flac and
// eval/test/SPEAKER-GENRE-01-001.flac, without texts.
#include <charconv>

#include "source/corpora/list.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class CnCeleb final : public TreeTable {
 public:
  explicit CnCeleb(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .covers = TableFiles::Covers::textless}) {}

 private:
  static bool is_of_eval(std::string_view audio) { return path_part(audio, 2) == "eval"; }
  /// "id00800".
  static std::string_view speaker_of(std::string_view audio) {
    if (!is_of_eval(audio)) return path_part(audio, 1);
    const std::string_view name = path_part(audio, 0);
    return name.substr(0, name.find('-'));
  }

  /// Those that the tests in eval/ are made of: the last 200 of the first thousand.
  static bool is_tested(std::string_view speaker) {
    constexpr int kFirst = 800;
    constexpr int kEnd = 1000;
    int number = -1;
    if (speaker.starts_with("id"))
      std::from_chars(speaker.data() + 2, speaker.data() + speaker.size(), number);
    return number >= kFirst && number < kEnd;
  }

  /// In eval/ the speaker is the start of each name. Recordings in data/ of its speakers are in there, too.
  std::string key_of(std::string_view audio) const override {
    if (is_of_eval(audio)) return stem_of(audio);
    const std::string_view speaker = speaker_of(audio);
    return (is_tested(speaker) ? "data-" : "") + std::string(speaker) + "-" + stem_of(audio);
  }
  std::string id_of(std::string_view audio) const override { return key_of(audio); }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string_view speaker = speaker_of(audio);
    utterance.facts.text("speaker", speaker);
    std::string_view name = path_part(audio, 0);
    if (is_of_eval(audio)) name.remove_prefix(std::min(speaker.size() + 1, name.size()));
    const std::string_view genre = name.substr(0, name.find('-'));
    if (genre != name) utterance.facts.text("genre", genre);
    utterance.facts.language("zh");
    if (is_of_eval(audio)) {
      utterance.subsets = {"eval/" + std::string(path_part(audio, 1))};
    } else {
      utterance.subsets = {is_tested(speaker) ? "eval/data" : "train"};
    }
  }
};

}  // namespace

constinit const Corpus kCnCeleb{
    .prefix = "cnceleb",
    .name = "CN-Celeb",
    .texts =
        "*/CN-Celeb*/data/id[0-9][0-9][0-9][0-9][0-9]/*-[0-9]*-[0-9]*.*|*/data/"
        "id[0-9][0-9][0-9][0-9][0-9]/*-[0-9][0-9]-[0-9][0-9][0-9].*|*/eval/enroll/id*-enroll.*",
    .needed = "data/",
    .in_archive =
        "*/data/id[0-9][0-9][0-9][0-9][0-9]/*-[0-9][0-9]-[0-9][0-9][0-9].*|*/eval/enroll/id*-enroll.*|*/"
        "eval/test/id[0-9][0-9][0-9][0-9][0-9]-*",
    .is_textless = true,
    .splits = Splits::together,
    .make = make_tree<CnCeleb>};

}  // namespace shardmill::source
