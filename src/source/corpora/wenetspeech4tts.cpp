// WenetSpeech4TTS: Premium/WenetSpeech4TTS_Premium_0/wavs/ID.wav, and txts/ID.txt of "ID<tab>TEXT" and a line
// of times; DNSMOS_P808Scores/*_DNSMOS.lst has a score for each.
#include <fmt/format.h>

#include <unordered_map>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class WenetSpeech4Tts final : public TreeTable {
 public:
  explicit WenetSpeech4Tts(TreeOptions options)
      : TreeTable(
            std::move(options),
            {.transcripts = ".txt", .speakers = "Basic_DNSMOS.lst|Standard_DNSMOS.lst|Premium_DNSMOS.lst"}) {}

  Role role(std::string_view path) const override {
    const Role own = TreeTable::role(path);
    return own == Role::text && path.ends_with(".txt") && path_part(path, 1) != "txts" ? Role::other : own;
  }
  std::string_view awaited(std::string_view path) const override { return audio_name(path).stem; }
  /// There are three lists.
  bool awaits_remarks() const override { return !is_complete() && lists_ < 3; }
  /// Each part has an archive.
  Packed packed() const override { return Packed::by_name; }
  /// "WenetSpeech4TTS_Premium_0" of its archive, and of the folder with its audio.
  std::string packed_name(std::string_view path) const override {
    return path_part(path, 0) == "wavs" ? std::string(path_part(path, 1)) : TreeTable::packed_name(path);
  }
  bool packs_have_texts() const override { return true; }

  void read_transcripts(const TreeText& text) override {
    TreeLines lines(text);
    std::string_view line;
    const std::string id = stem_of(text.path);
    if (!lines.next(line)) return void(add(id, "", text));
    if (const std::string_view named = take_field(line); named != id) {
      throw lines.here(Error(
          fmt::format("is about '{}', and the file is called {}.txt", printable(named), printable(id))));
    }
    Row& row = add(id, line, text);
    if (lines.next(line)) row.facts.text("timestamp", line);
  }

 private:
  void read_speakers(const TreeText& text) override {
    ++lists_;
    base::JsonParser parser;
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const std::string_view id = take_field(line);
      const base::JsonValue score = parser.parse(line);
      score.number();
      scores_.insert_or_assign(std::string(id), score.line());
    });
  }

  std::string listed_in(std::string_view audio) const override {
    return fmt::format("txts/{}.txt", stem_of(audio));
  }
  /// Standard holds Premium, and Basic holds both; each lies in the folder of the smallest.
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    if (const auto score = scores_.find(utterance.key); score != scores_.end())
      utterance.facts.json("dnsmos", score->second);
    utterance.facts.language("zh");
    const std::size_t place = audio.rfind("WenetSpeech4TTS_");
    const std::string_view part = place == audio.npos
                                      ? folder_among(audio, {"Premium", "Standard", "Basic"})
                                      : audio.substr(place + std::string_view("WenetSpeech4TTS_").size());
    if (part.starts_with("Premium")) utterance.subsets = {"Basic", "Standard", "Premium"};
    if (part.starts_with("Standard")) utterance.subsets = {"Basic", "Standard"};
    if (part.starts_with("Basic")) utterance.subsets = {"Basic"};
  }

  int lists_ = 0;
  std::unordered_map<std::string, std::string> scores_;
};

}  // namespace

constinit const Corpus kWenetSpeech4Tts{
    .prefix = "wenetspeech4tts",
    .name = "WenetSpeech4TTS",
    .texts = "*/WenetSpeech4TTS_*/txts/*.txt|*/Basic_DNSMOS.lst|*/Standard_DNSMOS.lst|*/Premium_DNSMOS.lst",
    .beside_texts = "*/WenetSpeech4TTS_*/wavs/*.wav|*/WenetSpeech4TTS_*.tar.gz",
    .audio = "*/WenetSpeech4TTS_*/wavs/*.wav",
    .needed = "txts/ID.txt for each wavs/ID.wav",
    .in_archive = "*/WenetSpeech4TTS_*/txts/*.txt|*/WenetSpeech4TTS_*/wavs/*.wav",
    .splits = Splits::none,
    .make = make_tree<WenetSpeech4Tts>};

}  // namespace shardmill::source
