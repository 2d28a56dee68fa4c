// People's Speech: SPLIT/KIND.json, a JSON object a line with the names and texts of a recording's pieces,
// and SPLIT/KIND/*.flac.
#include <fmt/format.h>

#include <set>

#include "source/names/audio_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

class PeoplesSpeech final : public TreeTable {
 public:
  using TreeTable::TreeTable;

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
    const std::string_view split = path_part(path, 1);
    const bool is_list =
        path.ends_with(".json") && (split == "train" || split == "validation" || split == "test");
    return is_list ? Role::text : Role::other;
  }

  void read(const TreeText& text) override {
    const std::string kind = stem_of(text.path);
    const std::string split(path_part(text.path, 1));
    const std::string subset = kind == split ? split : split + "/" + kind;
    kinds_.insert(subset);
    base::JsonParser parser;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const base::JsonValue object = parser.parse(line);
      const base::JsonValue data = object["training_data"];
      const auto names = data["name"].elements();
      const auto labels = data["label"].elements();
      if (names.size() != labels.size()) throw Error("has not as many labels as names");
      const std::string speaker = object.find("identifier") ? std::string(object["identifier"].text()) : "";
      for (std::size_t i = 0; i < names.size(); ++i) {
        Row& row = add(stem_of(names[i].text()), labels[i].text(), text, number);
        row.subsets = {subset};
        row.facts.text("recording", speaker).language("en");
      }
    });
  }

 private:
  bool is_known(std::string_view) const override { return false; }
  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  std::set<std::string> kinds_;  // "train/clean" and others that there are lists of
};

}  // namespace

TreeCorpusPtr make_peoples_speech(const TreeOptions& options) {
  check_text_field(options, {});
  return std::make_unique<PeoplesSpeech>(options);
}

}  // namespace shardmill::source
