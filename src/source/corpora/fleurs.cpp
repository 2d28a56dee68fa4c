// FLEURS: LANGUAGE/SPLIT.tsv, without a header, and LANGUAGE/audio/SPLIT/ID.wav, or SPLIT.tar.gz with them.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Fleurs final : public TreeTable {
 public:
  explicit Fleurs(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "train.tsv|dev.tsv|test.tsv"}) {}

  /// Each split of a language has an archive.
  Packed packed() const override { return Packed::by_name; }
  /// "af_za/train" of "af_za/audio/train.tar.gz" and of "af_za/audio/train".
  std::string packed_name(std::string_view path) const override {
    return std::string(path_part(path, 2)) + "/" + TreeTable::packed_name(path);
  }
  /// Who keeps them under other names may have any audio in each.
  Packed packed_as(std::string_view packed_name) const override {
    return tables_.contains(std::string(packed_name)) ? Packed::by_name : Packed::anyhow;
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    if (packed_as(packed_name) == Packed::anyhow) return true;
    const auto found = archives_.find(std::string(key));
    return found != archives_.end() && found->second == packed_name;
  }

  /// Columns: number of the sentence, file, the text as written, as spoken, as letters, values, gender.
  void read_transcripts(const TreeText& text) override {
    enum Column : std::size_t { file = 1, raw = 2, spoken = 3, gender = 6 };
    tables_.insert(fmt::format("{}/{}", path_part(text.path, 1), stem_of(text.path)));
    const Column wanted = options().text_field == "raw_transcription" ? raw : spoken;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const auto fields = split_fields(line, '\t');
      if (fields.size() <= gender) throw Error("has fewer than the 7 fields of FLEURS");
      Row& row = add(stem_of(fields[file]), fields[wanted], text, number);
      row.subsets = {stem_of(text.path)};
      archives_.try_emplace(row.id, std::string(path_part(text.path, 1)) + "/" + row.subsets.front());
      row.facts.text("gender", fields[gender]).language(path_part(text.path, 1));
    });
  }

 private:
  /// The name of its folder; empty if that is not a split.
  static std::string_view split_of(std::string_view audio) {
    const std::string_view folder = path_part(audio, 1);
    return folder == "train" || folder == "dev" || folder == "test" ? folder : std::string_view();
  }
  std::string listed_in(std::string_view audio) const override {
    const std::string_view split = split_of(audio);
    return split.empty() ? "train.tsv, dev.tsv or test.tsv" : fmt::format("{}.tsv", split);
  }
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (row == nullptr && !split_of(audio).empty()) utterance.subsets.emplace_back(split_of(audio));
  }

  std::unordered_set<std::string> tables_;                 // "af_za/train"
  std::unordered_map<std::string, std::string> archives_;  // the packed_name() of each utterance
};

}  // namespace

constinit const Corpus kFleurs{
    .prefix = "fleurs",
    .name = "FLEURS",
    .texts = "*/train.tsv|*/dev.tsv|*/test.tsv",
    .beside_texts =
        "*/audio/train.tar.gz|*/audio/dev.tar.gz|*/audio/test.tar.gz|*/audio/train/*.wav|*/audio/dev/*.wav|*/"
        "audio/test/*.wav|*/[a-z][a-z]_[a-z][a-z]/*.t*gz|*/[a-z][a-z]_[a-z][a-z]/*.tar|*/"
        "[a-z][a-z][a-z]_[a-z][a-z]/*.t*gz|*/[a-z][a-z][a-z]_[a-z][a-z]/*.tar|*/"
        "[a-z][a-z][a-z]_[a-z]*_[a-z][a-z]/*.t*gz|*/[a-z][a-z][a-z]_[a-z]*_[a-z][a-z]/*.tar",
    .needed = "train.tsv",
    .in_archive =
        "*/audio/train.tar.gz|*/audio/dev.tar.gz|*/audio/test.tar.gz|*/audio/train/[0-9]*.wav|*/audio/dev/"
        "[0-9]*.wav|*/audio/test/[0-9]*.wav",
    .text_fields = "transcription|raw_transcription",
    .make = make_tree<Fleurs>};

}  // namespace shardmill::source
