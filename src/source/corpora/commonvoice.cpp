// Common Voice: clips/*.mp3, and tables of them for each split: train.tsv, dev.tsv, test.tsv and others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 6> kTables{"train",     "dev",   "test",
                                                  "validated", "other", "invalidated"};
constexpr std::array<std::string_view, 3> kSplits{"train", "dev", "test"};

class CommonVoice final : public TreeTable {
 public:
  explicit CommonVoice(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "train.tsv|dev.tsv|test.tsv|validated.tsv|other.tsv|invalidated.tsv",
                   .may_be_above = true}) {}

  /// On Hugging Face: transcript/en/train.tsv and audio/en/train/en_train_0.tar.
  Packed packed() const override { return Packed::anyhow; }
  bool is_pack(std::string_view path) const override { return !table_of(packed_name(path)).empty(); }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const Row* row = find_row(key);
    return row == nullptr || row->subsets.front() == table_of(packed_name);
  }

  /// Who lost a table would lose its clips. Releases of new clips alone have no tables for the splits.
  void all_read() override {
    TreeTable::all_read();
    std::set<std::string> needed;
    if (options().needs_splits) needed = {kSplits.begin(), kSplits.end()};
    for (const std::string& subset : options().subsets) {
      if (std::find(kTables.begin(), kTables.end(), subset) != kTables.end()) needed.insert(subset);
    }
    for (const auto& [folder, tables] : tables_) {
      for (const std::string_view table : kTables) {
        if (!needed.contains(std::string(table)) || tables.contains(table)) continue;
        throw Error(
            fmt::format("{}.tsv is missing beside {}.tsv: its clips would be lost", table, *tables.begin()),
            at(folder),
            fmt::format("bring it back, or choose as subsets some of the tables that are there: {}",
                        fmt::join(tables, ", ")));
      }
    }
  }

  void read_transcripts(const TreeText& text) override {
    const std::string table = stem_of(text.path);
    tables_[folder_of_table(text)].insert(table);
    const bool has_header =
        for_each_row(text, '\t', {"path", "sentence"}, [&](const TreeRow& row) { take(row, table, text); });
    if (!has_header && is_read(table))
      throw Error("is empty: there is not even a line of names", at(text.place), "copy or download it again");
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
  /// "train" of "en_train_0"; empty for another name.
  static std::string_view table_of(std::string_view packed_name) {
    const std::size_t number = packed_name.rfind('_');
    if (number == packed_name.npos || number + 1 == packed_name.size() ||
        packed_name.find_first_not_of("0123456789", number + 1) != packed_name.npos)
      return {};
    packed_name = packed_name.substr(0, number);
    const std::string_view table = packed_name.substr(packed_name.rfind('_') + 1);
    return std::find(kTables.begin(), kTables.end(), table) == kTables.end() ? std::string_view() : table;
  }

  /// The splits do not overlap; the other tables hold clips that were not validated, or were found to be
  /// wrong.
  bool is_read(const std::string& table) const {
    if (options().subsets.empty()) return std::find(kSplits.begin(), kSplits.end(), table) != kSplits.end();
    return has_wanted_subset({table}, options().subsets);
  }

  void take(const TreeRow& fields, const std::string& table, const TreeText& text) {
    const std::string id = stem_of(fields["path"]);
    const bool is_split = std::find(kSplits.begin(), kSplits.end(), table) != kSplits.end();
    if (is_split && comes_again(id, fields, table, text)) return;
    if (!is_read(table)) return void(elsewhere_.insert(id));
    if (!has(id)) return add_row(id, table, fields, text);
    // A validated clip may be in a split, too, and then belongs to that.
    if (is_split) row_of(id).subsets = {table};
  }

  /// True for a line that comes again. Throws Error where another split has the clip, too: it would be
  /// trained on and be judged by.
  bool comes_again(const std::string& id, const TreeRow& fields, const std::string& table,
                   const TreeText& text) {
    if (places_.empty() || places_.back() != text.place) places_.push_back(text.place);
    const auto [known, is_new] = in_split_.try_emplace(id, InSplit{places_.size() - 1, fields.line_number()});
    if (is_new) return false;
    const std::string& place = places_[known->second.place];
    const bool is_here = place == text.place;
    if (is_here && (!has(id) || row_of(id).text == fields["sentence"])) return true;
    throw Error(fmt::format("'{}' is in {}, and {} in line {} of {}", printable(id), table,
                            is_here ? "with another sentence" : "in another split", known->second.line,
                            printable(place)),
                {}, "take out one of the two lines");
  }

  void add_row(const std::string& id, const std::string& table, const TreeRow& fields, const TreeText& text) {
    Row& row = add(id, fields["sentence"], text, fields.line_number());
    row.speaker = fields["client_id"];
    row.subsets = {table};
    row.facts.text("gender", fields["gender"]).text("age", fields["age"]).language(fields["locale"]);
    row.facts.text("accent", fields.has("accents") ? fields["accents"] : fields["accent"]);
  }

  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  static std::string folder_of_table(const TreeText& text) {
    return text.place.substr(0, text.place.size() - path_part(text.path, 0).size());
  }

  /// The place of a clip in one of the splits.
  struct InSplit {
    std::size_t place = 0;  // number of the table
    std::uint64_t line = 0;
  };

  std::map<std::string, std::set<std::string, std::less<>>> tables_;  // that are there, by folder
  std::vector<std::string> places_;                                   // of the tables of splits
  std::unordered_map<std::string, InSplit> in_split_;                 // clips by their names
  std::unordered_set<std::string> elsewhere_;                         // in tables that are not read
};

}  // namespace

constinit const Corpus kCommonVoice{
    .prefix = "commonvoice",
    .name = "Common Voice",
    .texts = "*/validated.tsv|*/train.tsv|*/dev.tsv|*/test.tsv|*/other.tsv|*/invalidated.tsv",
    .beside_texts = "*/clips/*|*/audio/*/*_[0-9]*.tar|*/audio/*/*_[0-9]*.t*gz|*/common_voice_*_[0-9]*.mp3",
    .audio = "*/common_voice_*",
    .needed = "validated.tsv",
    .in_archive =
        "*/clips/common_voice_*|*/cv-corpus-*/*.tsv|*_train_[0-9]*/common_voice_*|*_dev_[0-9]*/"
        "common_voice_*|*_test_[0-9]*/common_voice_*|*_other_[0-9]*/common_voice_*|*_invalidated_[0-9]*/"
        "common_voice_*",
    .text_fields = "sentence",
    .splits = Splits::in_tables,
    .make = make_tree<CommonVoice>};

}  // namespace shardmill::source
