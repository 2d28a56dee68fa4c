// WenetSpeech-Yue, -Chuan and -Wu: JSON, an object a line or in an array, with id, path, text and much more
// of each piece of audio; and the audio in folders or archives beside it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>

#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

// The three, and their versions, call the same by several names.
constexpr std::array<std::string_view, 4> kIds{"utt_id", "utt", "wav_utt_id_timestamp", "key"};
constexpr std::array<std::string_view, 5> kPaths{"path", "audio_path", "filename", "wav",
                                                 "wav_utt_id_timestamp_path"};
constexpr std::array<std::string_view, 3> kTexts{"text", "rover_result", "txt"};
constexpr std::array<std::string_view, 3> kSpeakers{"speaker", "speaker_id", "spk_id"};

template <typename Names>
std::optional<base::JsonValue> first_known(const base::JsonValue& object, const Names& names) {
  for (const std::string_view name : names) {
    if (auto value = find_known(object, name)) return value;
  }
  return std::nullopt;
}

class WenetSpeechDialect : public TreeTable {
 public:
  WenetSpeechDialect(TreeOptions options, std::string_view language)
      : TreeTable(std::move(options), {.transcripts = ".json|.jsonl", .may_be_above = false}),
        language_(language) {}

  Packed packed() const override { return Packed::anyhow; }
  /// Nothing says which archive holds what.
  bool belongs_to(std::string_view, std::string_view) const override { return true; }

  void read_transcripts(const TreeText& text) override {
    read_.emplace(path_part(text.path, 0));
    const std::size_t begin = text.content.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (begin != text.content.npos && text.content[begin] == '[') {
      for_each_json_element(text, {}, [&](const base::JsonValue& element) { read_row(element, text, 0); });
      return;
    }
    base::JsonParser parser;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      read_row(parser.parse(line), text, number);
    });
  }

  void report_rest(const Lose& lose) const override {
    TreeTable::report_rest(lose);
    for (const Labels& labels : labels_) {
      const std::string name(path_part(labels.file, 0));
      if (read_.contains(name)) continue;
      lose({.key = stem_of(name),
            .error = Error(fmt::format("line {}: names {} with the segments of a recording, and there is no "
                                       "such file",
                                       labels.line, printable(labels.file)),
                           at(labels.place))});
    }
  }

 private:
  void read_row(const base::JsonValue& object, const TreeText& text, std::uint64_t number) {
    if (!object.is_object()) throw Error("is not a JSON object");
    // A list of the long recordings that the audio was cut from, each with a file of its own.
    if (const auto labels = find_known(object, "audio_labels")) {
      labels_.push_back({.file = std::string(labels->text()), .place = text.place, .line = number});
      return;
    }
    const auto id = first_known(object, kIds);
    const auto path = first_known(object, kPaths);
    if (!id && !path) throw Error("has neither an id nor a path");
    const std::string& field = options().text_field;
    const auto words = field.empty() ? first_known(object, kTexts) : find_known(object, field);
    const std::string file = path ? stem_of(path->text()) : std::string(id->text());
    const std::string key = id ? std::string(id->text()) : file;
    Row& row = add(file, words ? base::trimmed(words->text()) : std::string_view(), text, number);
    row.seconds = seconds_in(object, "duration");
    if (key != file) keys_.insert_or_assign(file, key);
    if (const auto speaker = first_known(object, kSpeakers)) {
      const std::string line = speaker->line();
      row.speaker = line.starts_with('"') ? std::string(speaker->text()) : line;
    }
    std::set<std::string, std::less<>> others;
    for (const std::string_view name : kIds) others.emplace(name);
    for (const std::string_view name : kPaths) others.emplace(name);
    for (const std::string_view name : kSpeakers) others.emplace(name);
    if (field.empty()) others.insert({"text", "rover_result", "txt"});
    const auto facts = read_sample_json(object.line(), field.empty() ? "text" : field, std::move(others));
    row.facts.members(facts->facts);
  }

  std::string listed_in(std::string_view) const override { return "the corpus' JSON file"; }
  void describe(std::string_view, const Row* row, TreeUtterance& utterance) const override {
    if (row == nullptr) return;
    if (const auto known = keys_.find(row->id); known != keys_.end()) utterance.key = known->second;
    utterance.facts.language(language_);
  }

  /// A file that a list names.
  struct Labels {
    std::string file;
    std::string place;  // of the list
    std::uint64_t line = 0;
  };

  std::string_view language_;
  std::vector<Labels> labels_;
  std::unordered_set<std::string> read_;               // the names of the files that were
  std::unordered_map<std::string, std::string> keys_;  // where they are not the names of the files
};

class WenetSpeechYue final : public WenetSpeechDialect {
 public:
  explicit WenetSpeechYue(TreeOptions options) : WenetSpeechDialect(std::move(options), "yue") {}
};
class WenetSpeechChuan final : public WenetSpeechDialect {
 public:
  explicit WenetSpeechChuan(TreeOptions options) : WenetSpeechDialect(std::move(options), "zh") {}
};
class WenetSpeechWu final : public WenetSpeechDialect {
 public:
  explicit WenetSpeechWu(TreeOptions options) : WenetSpeechDialect(std::move(options), "wuu") {}
};

bool has_all(const base::JsonValue& first, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names,
                             [&](std::string_view name) { return find_known(first, name).has_value(); });
}

constexpr std::string_view kFields = "text|rover_result|text_punc";

}  // namespace

// On the Hugging Face Hub their folders have short names, too: WSYue-Train, WSC-Train, WSWu-Train.
constinit const Corpus kWenetSpeechYue{
    .prefix = "wenetspeechyue",
    .name = "WenetSpeech-Yue",
    .texts = "*[Ww]enet[Ss]peech[-_][Yy]ue*.json*|*/WSYue[-_]*.json*",
    .audio =
        "*[Ww]enet[Ss]peech[-_][Yy]ue*/*.wav|*[Ww]enet[Ss]peech[-_][Yy]ue*/"
        "*.flac|*[Ww]enet[Ss]peech[-_][Yy]ue*/*.mp3|*[Ww]enet[Ss]peech[-_][Yy]ue*/*.opus|*/WSYue[-_]*/"
        "*.wav|*/WSYue[-_]*/*.flac|*/WSYue[-_]*/*.mp3|*/WSYue[-_]*/*.opus",
    .needed = "its JSON file",
    .in_archive = "*/[Ww]enet[Ss]peech[-_][Yy]ue*|*/WSYue[-_]*",
    .fits_text =
        [](const base::JsonValue& first) {
          return has_all(first, {"utt_id", "rover_result", "DNSMOS"});
        },
    .text_fields = kFields,
    .splits = Splits::none,
    .make = make_tree<WenetSpeechYue>};

constinit const Corpus kWenetSpeechChuan{
    .prefix = "wenetspeechchuan",
    .name = "WenetSpeech-Chuan",
    .texts =
        "*[Ww]enet[Ss]peech[-_][Cc]huan*.json*|*/WSC[-_]*.json*|*/wsc_metadata.jsonl|*/audio_labels/*.jsonl",
    .audio =
        "*[Ww]enet[Ss]peech[-_][Cc]huan*/*.wav|*[Ww]enet[Ss]peech[-_][Cc]huan*/"
        "*.flac|*[Ww]enet[Ss]peech[-_][Cc]huan*/*.mp3|*[Ww]enet[Ss]peech[-_][Cc]huan*/*.opus|*/WSC[-_]*/"
        "*.wav|*/WSC[-_]*/*.flac|*/WSC[-_]*/*.mp3|*/WSC[-_]*/*.opus",
    .needed = "its JSON file",
    .in_archive = "*/[Ww]enet[Ss]peech[-_][Cc]huan*|*/WSC[-_]*",
    .fits_text =
        [](const base::JsonValue& first) {
          return has_all(first, {"utt", "text_punc"});
        },
    .text_fields = kFields,
    .splits = Splits::none,
    .make = make_tree<WenetSpeechChuan>};

constinit const Corpus kWenetSpeechWu{
    .prefix = "wenetspeechwu",
    .name = "WenetSpeech-Wu",
    .texts = "*[Ww]enet[Ss]peech[-_][Ww]u*.json*|*/WSWu[-_]*.json*",
    .audio =
        "*[Ww]enet[Ss]peech[-_][Ww]u*/*.wav|*[Ww]enet[Ss]peech[-_][Ww]u*/*.flac|*[Ww]enet[Ss]peech[-_][Ww]u*/"
        "*.mp3|*[Ww]enet[Ss]peech[-_][Ww]u*/*.opus|*/WSWu[-_]*/*.wav|*/WSWu[-_]*/*.flac|*/WSWu[-_]*/*.mp3|*/"
        "WSWu[-_]*/*.opus",
    .needed = "its JSON file",
    .in_archive = "*/[Ww]enet[Ss]peech[-_][Ww]u*|*/WSWu[-_]*",
    .fits_text =
        [](const base::JsonValue& first) {
          return has_all(first, {"utt_id", "text", "dialect", "DNSMOS"});
        },
    .text_fields = kFields,
    .splits = Splits::none,
    .make = make_tree<WenetSpeechWu>};

}  // namespace shardmill::source
