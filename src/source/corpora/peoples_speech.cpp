// People's Speech: SPLIT/KIND.json, a JSON object a line with the names and texts of a recording's pieces,
// and SPLIT/KIND/*.flac.
#include <fmt/format.h>

#include <set>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class PeoplesSpeech final : public TreeTable {
 public:
  explicit PeoplesSpeech(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ""}) {}

  /// On Hugging Face the tables lie beside archives of the audio.
  Packed packed() const override { return Packed::anyhow; }
  /// "train/clean/clean_000000" of "train/clean/clean_000000.tar", and of its folder.
  std::string packed_name(std::string_view path) const override {
    return fmt::format("{}/{}/{}", path_part(path, 2), path_part(path, 1), TreeTable::packed_name(path));
  }
  /// Archives in the folder of one list hold nothing of another.
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const std::string folder(folder_of(packed_name));
    const Row* row = find_row(key);
    return row == nullptr || !kinds_.contains(folder) || row->subsets.front() == folder;
  }

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path.ends_with(".json") && is_split(path_part(path, 1)) ? Role::text : Role::other;
  }

  void read_transcripts(const TreeText& text) override {
    const std::string kind = stem_of(text.path);
    const std::string split(path_part(text.path, 1));
    const std::string subset = kind == split ? split : split + "/" + kind;
    kinds_.insert(subset);
    base::JsonParser parser;
    constexpr double kMilliseconds = 1000;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const base::JsonValue object = parser.parse(line);
      const base::JsonValue data = object["training_data"];
      const auto names = data["name"].elements();
      const auto labels = data["label"].elements();
      if (names.size() != labels.size()) throw Error("has different numbers of labels and names");
      const auto durations = find_known(data, "duration_ms");
      const auto lengths = durations ? durations->elements() : std::vector<base::JsonValue>();
      const std::string speaker = object.find("identifier") ? std::string(object["identifier"].text()) : "";
      for (std::size_t i = 0; i < names.size(); ++i) {
        Row& row = add(stem_of(names[i].text()), labels[i].text(), text, number);
        row.subsets = {subset};
        if (i < lengths.size()) row.seconds = seconds_in(lengths[i].line()) / kMilliseconds;
        row.facts.text("recording", speaker).language("en");
      }
    });
  }

 private:
  static bool is_split(std::string_view folder) {
    return folder == "train" || folder == "dev" || folder == "validation" || folder == "test";
  }
  std::string listed_in(std::string_view audio) const override {
    const std::string subset = subset_in_path(audio);
    return subset.empty() ? "SPLIT/KIND.json" : subset + ".json";
  }
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (row != nullptr) return;
    if (std::string subset = subset_in_path(audio); !subset.empty())
      utterance.subsets.push_back(std::move(subset));
  }

  /// "train/clean" of "train/clean/X.flac" and of "train/clean/clean_000000/X.flac", "test" of
  /// "test/test_000000/X.flac"; empty where the folders are others.
  static std::string subset_in_path(std::string_view audio) {
    constexpr std::size_t kLevels = 3;
    for (std::size_t level = 1; level <= kLevels; ++level) {
      const std::string_view split = path_part(audio, level);
      if (!is_split(split)) continue;
      const std::string_view kind = level > 1 ? path_part(audio, level - 1) : std::string_view();
      if (kind.empty() || kind.starts_with(split)) return std::string(split);
      return fmt::format("{}/{}", split, kind);
    }
    return {};
  }

  std::set<std::string> kinds_;  // "train/clean" and others that there are lists of
};

}  // namespace

constinit const Corpus kPeoplesSpeech{
    .prefix = "peoplesspeech",
    .name = "People's Speech",
    .texts =
        "*/clean.json|*/clean_sa.json|*/dirty.json|*/dirty_sa.json|*/validation/validation.json|*/test/"
        "test.json",
    .beside_texts = "*.flac|*.tar|*.tar.gz|*.tgz",
    .needed = "train/clean.json",
    .in_archive = "*/train/clean*.json|*/train/dirty*.json|*/train/clean*/*.flac|*/train/dirty*/*.flac",
    .make = make_tree<PeoplesSpeech>};

}  // namespace shardmill::source
