// Common Voice: clips/*.mp3, and tables of them for each split: train.tsv, dev.tsv, test.tsv and others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "source/names/audio_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 6> kTables{"train",     "dev",   "test",
                                                  "validated", "other", "invalidated"};

class CommonVoice final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const bool is_table =
        path.ends_with(".tsv") && std::find(kTables.begin(), kTables.end(), stem_of(path)) != kTables.end();
    return is_table ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    return role(name) == Role::text ? Above::transcripts : Above::no;
  }

  /// Releases of new clips alone have no tables for the splits, and who lost one of them would lose its
  /// clips.
  void all_read() override {
    TreeTable::all_read();
    if (!options().needs_splits) return;
    for (const auto& [folder, tables] : tables_) {
      for (const std::string_view split : {"train", "dev", "test"}) {
        if (tables.contains(split)) continue;
        throw Error(
            fmt::format("{}.tsv is missing beside {}.tsv: its clips would be lost", split, *tables.begin()),
            at(folder),
            fmt::format("bring it back, or choose as subsets some of the tables that are there: {}",
                        fmt::join(tables, ", ")));
      }
    }
  }

  void read(const TreeText& text) override {
    const std::string table = stem_of(text.path);
    tables_[place_of(text)].insert(table);
    TreeLines lines(text);
    std::string_view line;
    if (!lines.next(line)) {
      if (!is_read(table)) return;
      throw Error("is empty: there is not even a line of names", at(text.place), "copy or download it again");
    }
    const TreeColumns columns(line, '\t');
    try {
      const std::size_t path = columns.at("path");
      const std::size_t least = std::max(path, columns.at("sentence")) + 1;
      while (lines.next(line)) {
        const auto fields = split_fields(line, '\t');
        if (fields.size() < least) throw Error("has too few fields");
        const std::string id = stem_of(fields[path]);
        if (is_read(table)) {
          add_row(id, table, columns, fields, text, lines.line_number());
        } else {
          elsewhere_.insert(id);
        }
      }
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    const std::string id = stem_of(audio);
    if (!has(id)) {
      if (!is_complete()) return std::nullopt;
      // In another table, which was not asked for.
      if (elsewhere_.contains(id)) return std::vector<TreeUtterance>{};
    }
    return TreeTable::find(audio);
  }

 private:
  /// The splits do not overlap; the other tables hold what nobody has judged, or has judged to be wrong.
  bool is_read(const std::string& table) const {
    if (options().subsets.empty()) return table == "train" || table == "dev" || table == "test";
    return has_wanted_subset({table}, options().subsets);
  }

  void add_row(const std::string& id, const std::string& table, const TreeColumns& columns,
               const std::vector<std::string_view>& fields, const TreeText& text, std::uint64_t line) {
    if (has(id)) return;
    const auto field = [&](std::string_view name) {
      const auto column = columns.find(name);
      return column && *column < fields.size() ? fields[*column] : std::string_view();
    };
    Row& row = add(id, field("sentence"), text, line);
    row.speaker = field("client_id");
    row.subsets = {table};
    row.facts.text("gender", field("gender")).text("age", field("age")).language(field("locale"));
    row.facts.text("accent", columns.find("accents") ? field("accents") : field("accent"));
  }

  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  static std::string place_of(const TreeText& text) {
    return text.place.substr(0, text.place.size() - path_part(text.path, 0).size());
  }

  std::map<std::string, std::set<std::string, std::less<>>> tables_;  // that are there, by folder
  std::unordered_set<std::string> elsewhere_;                         // in tables that are not read
};

}  // namespace

TreeCorpusPtr make_commonvoice(const TreeOptions& options) {
  check_text_field(options, {"sentence"});
  return std::make_unique<CommonVoice>(options);
}

}  // namespace shardmill::source
