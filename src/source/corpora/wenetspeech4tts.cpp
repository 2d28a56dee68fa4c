// WenetSpeech4TTS: Premium/WenetSpeech4TTS_Premium_0/wavs/ID.wav, and txts/ID.txt of "ID<tab>TEXT" and a line
// of times; DNSMOS_P808Scores/*_DNSMOS.lst has a score for each, and filelists/*_filelist.lst its path.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

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
      : TreeTable(std::move(options),
                  {.transcripts = ".txt",
                   .speakers = "Basic_DNSMOS.lst|Standard_DNSMOS.lst|Premium_DNSMOS.lst|"
                               "Basic_filelist.lst|Standard_filelist.lst|Premium_filelist.lst"}) {}

  Role role(std::string_view path) const override {
    const Role own = TreeTable::role(path);
    return own == Role::text && path.ends_with(".txt") && path_part(path, 1) != "txts" ? Role::other : own;
  }
  std::string_view awaited(std::string_view path) const override { return audio_name(path).stem; }
  /// There are three lists of scores.
  bool awaits_remarks() const override { return !is_complete() && score_lists_ < 3; }
  /// Each part has an archive.
  Packed packed() const override { return Packed::by_name; }
  /// "WenetSpeech4TTS_Premium_0" of its archive, and of the folder with its audio.
  std::string packed_name(std::string_view path) const override {
    return path_part(path, 0) == "wavs" ? std::string(path_part(path, 1)) : TreeTable::packed_name(path);
  }
  bool packs_have_texts() const override { return true; }
  void keep_to_pack(std::string_view packed_name) override { pack_ = packed_name; }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const auto listed = listed_.find(std::string(key));
    return listed != listed_.end() && listed->second.part == packed_name;
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    auto found = TreeTable::find(audio);
    if (found) found_.insert(stem_of(audio));
    return found;
  }
  void report_rest(const Lose& lose) const override {
    TreeTable::report_rest(lose);
    for (const std::string& id : order_) {
      // Of a row, TreeTable says it.
      if (found_.contains(id) || has(id)) continue;
      const Listed& listed = listed_.at(id);
      if (!has_wanted_subset(subsets_of(listed.part), options().subsets)) continue;
      lose({.key = id,
            .error = Error(fmt::format("line {}: '{}' should be in {}, but there is no such audio",
                                       listed.line, printable(id), printable(listed.part)),
                           at(lists_[listed.list]))});
    }
  }

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
  struct Listed {
    std::string part;  // "WenetSpeech4TTS_Premium_0"
    std::size_t list = 0;
    std::uint64_t line = 0;
  };

  void read_speakers(const TreeText& text) override {
    if (text.path.ends_with("_filelist.lst")) return read_list(text);
    ++score_lists_;
    base::JsonParser parser;
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const std::string_view id = take_field(line);
      const base::JsonValue score = parser.parse(line);
      score.number();
      scores_.insert_or_assign(std::string(id), score.line());
    });
  }

  /// Lines of an id and "../Premium/WenetSpeech4TTS_Premium_0/wavs/ID.wav". A larger part lists the smaller
  /// ones again.
  void read_list(const TreeText& text) {
    lists_.push_back(text.place);
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      take_field(line);
      const std::string_view part = path_part(line, 2);
      if (!part.starts_with(kPart) || (!pack_.empty() && part != pack_)) return;
      const auto [listed, is_new] = listed_.try_emplace(
          stem_of(line), Listed{.part = std::string(part), .list = lists_.size() - 1, .line = number});
      if (is_new) order_.push_back(listed->first);
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
    utterance.subsets = subsets_of(audio);
  }
  static std::vector<std::string> subsets_of(std::string_view path) {
    const std::size_t place = path.rfind(kPart);
    const std::string_view part = place == path.npos ? folder_among(path, {"Premium", "Standard", "Basic"})
                                                     : path.substr(place + kPart.size());
    if (part.starts_with("Premium")) return {"Basic", "Standard", "Premium"};
    if (part.starts_with("Standard")) return {"Basic", "Standard"};
    if (part.starts_with("Basic")) return {"Basic"};
    return {};
  }

  static constexpr std::string_view kPart = "WenetSpeech4TTS_";

  std::string pack_;                // all else is read elsewhere
  std::vector<std::string> lists_;  // their places
  std::vector<std::string> order_;
  std::unordered_map<std::string, Listed> listed_;
  std::unordered_set<std::string> found_;
  int score_lists_ = 0;
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
