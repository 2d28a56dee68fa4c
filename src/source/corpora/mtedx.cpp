// Multilingual TEDx: es-es/data/train/wav/TALK.flac. Line N of txt/train.es is the text of segment N, whose
// times are in txt/train.yaml and txt/segments; vtt/TALK.es.vtt has both, in other segments.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/captions.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

/// "es-es/data/train" of a file in one of its folders.
std::string split_folder(std::string_view path) {
  return std::string(folder_of(folder_of(path)));
}

class MTedX final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    const std::string_view folder = path_part(path, 1);
    if (is_audio_name(path)) return Role::audio;
    if (folder == "vtt" && path.ends_with(".vtt")) return Role::text;
    return folder == "txt" && part_of(path) != Part::none ? Role::text : Role::other;
  }

  void read(const TreeText& text) override {
    if (text.path.ends_with(".vtt")) return read_captions(text);
    Split& split = splits_[split_folder(text.path)];
    const Part part = part_of(text.path);
    if (part == Part::words) {
      if (!split.words.empty())
        throw Error("is a second text of the same talks", at(text.place),
                    "keep only the text in the language of the talks");
      split.language = text.path.substr(text.path.rfind('.') + 1);
      for_each_line(text, [&](std::string_view line, std::uint64_t number) {
        split.words.resize(number - 1);
        split.words.emplace_back(line);
      });
      // Nothing may be said in the last segments.
      const auto lines = std::count(text.content.begin(), text.content.end(), '\n');
      split.words.resize(std::max(split.words.size(), static_cast<std::size_t>(lines)));
    } else if (split.times.empty()) {
      for_each_line(text, [&](std::string_view line, std::uint64_t) {
        if (part == Part::segments || line.starts_with("- {"))
          split.times.push_back(part == Part::yaml ? yaml_times(line) : segment_times(line));
      });
    } else {
      return;  // the same times
    }
    if (!split.times.empty() && !split.words.empty()) combine(text, split);
  }

  /// Captions count where there is nothing else.
  void all_read() override {
    TreeRecordings::all_read();
    for (auto& [id, captions] : captions_) {
      if (has(id)) continue;
      if (captions.damage) throw Error(*captions.damage);
      const TreeText text{.path = captions.path, .place = captions.place, .content = {}};
      for (const Caption& caption : captions.list) add(text, id, captions.language, caption);
    }
  }

 private:
  enum class Part { none, words, yaml, segments };
  struct Times {
    std::string talk{};
    double begin = 0;
    double end = 0;
  };
  struct Split {
    std::vector<Times> times{};
    std::vector<std::string> words{};
    std::string language{};
  };
  struct Captions {
    std::string path{};
    std::string place{};
    std::string language{};
    std::vector<Caption> list{};
    std::optional<Error> damage{};  // is told only if these captions are used
  };

  /// Of "es-en", train.en has translations.
  static Part part_of(std::string_view path) {
    const std::string_view name = path_part(path, 0);
    const std::string_view split = path_part(path, 2);
    if (name == "segments") return Part::segments;
    if (!name.starts_with(split) || split.empty()) return Part::none;
    const std::string_view ending = name.substr(split.size());
    if (ending == ".yaml") return Part::yaml;
    const std::string_view pair = path_part(path, 4);
    const bool is_pair = pair.size() == 5 && pair[2] == '-';
    const bool is_language = ending.size() == 3 && ending.starts_with('.');
    return is_language && (!is_pair || ending.substr(1) == pair.substr(0, 2)) ? Part::words : Part::none;
  }

  static std::string_view yaml_field(std::string_view line, std::string_view name) {
    const std::string key = fmt::format("{}: ", name);
    for (std::size_t from = 0;;) {
      const std::size_t place = line.find(key, from);
      if (place == line.npos) throw Error(fmt::format("has no {}", name));
      from = place + key.size();
      if (place > 0 && line[place - 1] != ' ' && line[place - 1] != '{') continue;
      return line.substr(from, line.find_first_of(",}", from) - from);
    }
  }
  /// "- {duration: 5.2, offset: 12.3, speaker_id: TALK, wav: TALK.wav}"
  static Times yaml_times(std::string_view line) {
    std::string_view file = yaml_field(line, "wav");
    for (const char quote : {'\'', '"'}) {
      if (file.size() > 1 && file.front() == quote && file.back() == quote)
        file = file.substr(1, file.size() - 2);
    }
    const double begin = seconds_from(yaml_field(line, "offset"));
    return {.talk = stem_of(file),
            .begin = begin,
            .end = base::decimal_sum(begin, seconds_from(yaml_field(line, "duration")))};
  }
  /// "TALK_0001 TALK 12.3 17.5"
  static Times segment_times(std::string_view line) {
    take_field(line);
    Times times{.talk = std::string(take_field(line))};
    times.begin = seconds_from(take_field(line));
    times.end = seconds_from(take_field(line));
    return times;
  }

  void combine(const TreeText& text, Split& split) {
    if (split.times.size() != split.words.size())
      throw Error(
          fmt::format("there are {} lines of text for {} segments", split.words.size(), split.times.size()),
          at(text.place), "download it again");
    for (std::size_t i = 0; i < split.times.size(); ++i) {
      const Times& times = split.times[i];
      add(text, split_folder(text.path) + "/" + times.talk, split.language,
          {.begin = times.begin, .end = times.end, .words = split.words[i]});
    }
  }

  void add(const TreeText& text, const std::string& id, std::string_view language, const Caption& caption) {
    const std::string_view talk = path_part(id, 0);
    constexpr std::uint32_t kPerSecond = 100;
    Facts facts;
    facts.text("speaker", talk).language(language);
    recording(id, text).segments.push_back(
        {.key = keep(fmt::format("{}_{:08}", talk, base::rounded_product(caption.begin, kPerSecond))),
         .text = keep(caption.words),
         .facts = keep(facts.members()),
         .subsets = keep(path_part(text.path, 2)),
         .begin_seconds = caption.begin,
         .end_seconds = caption.end});
  }

  void read_captions(const TreeText& text) {
    const std::string_view name = path_part(text.path, 0);
    const std::string_view talk = name.substr(0, name.find('.'));
    Captions& captions = captions_[split_folder(text.path) + "/" + std::string(talk)];
    const std::string_view rest = name.substr(talk.size() + 1);
    captions = {.path = std::string(text.path),
                .place = text.place,
                .language = std::string(rest.substr(0, rest.find('.')))};
    try {
      captions.list = captions_in(text);
    } catch (const Error& error) {
      captions.damage = error;
    }
  }

  std::string id_of(std::string_view audio) const override {
    return split_folder(audio) + "/" + stem_of(audio);
  }
  std::string_view subset_of(std::string_view audio) const override { return path_part(audio, 2); }
  std::string cut_by(std::string_view audio) const override {
    return fmt::format("row in txt/{0}.yaml with a line of txt/{0}.LANGUAGE", path_part(audio, 2));
  }

  std::map<std::string, Split, std::less<>> splits_;       // by their folders
  std::map<std::string, Captions, std::less<>> captions_;  // by the ids of the talks
};

}  // namespace

constinit const Corpus kMTedX{.prefix = "mtedx",
                              .name = "Multilingual TEDx",
                              .texts =
                                  "*/data/*/vtt/*.vtt|*/data/*/txt/train.yaml|*/data/*/txt/valid.yaml|*/data/"
                                  "*/txt/test.yaml|*/data/*/txt/"
                                  "segments",
                              .beside_texts = "*/data/*/wav/*.flac|*/data/*/wav/*.wav",
                              .needed = "txt/train.yaml and txt/train.es",
                              .in_archive =
                                  "*/[a-z][a-z]-[a-z][a-z]/data/*/wav/*.flac|*/data/train/txt/*|*/data/valid/"
                                  "txt/*|*/data/test/txt/*|*/data/*/vtt/*.vtt",
                              .splits = Splits::together,
                              .make = make_tree<MTedX>};

}  // namespace shardmill::source
