// VoxCeleb 1 and 2: wav/SPEAKER/VIDEO/00001.wav or aac/SPEAKER/VIDEO/00001.m4a, without texts; vox1_meta.csv
// and vox2_meta.csv list the speakers.
#include <fmt/format.h>

#include <unordered_map>

#include "source/corpora/list.hpp"
#include "source/folders/file_search.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class VoxCeleb final : public TreeTable {
 public:
  explicit VoxCeleb(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "",
                                       .speakers = "vox1_meta.csv|vox2_meta.csv",
                                       .covers = TableFiles::Covers::textless}) {}

  /// The lists of speakers lie beside the archives, which unpack to "wav" or "aac".
  Packed packed() const override { return Packed::anyhow; }
  std::string packed_name(std::string_view path) const override {
    const std::string_view own = path_part(path, 0);
    if (!has_archive_name(own)) return std::string(path_part(path, 2));
    return own.find("aac") == own.npos ? "wav" : "aac";
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    const std::string speaker(path_part(audio, 2));
    // A list that comes later would say the split.
    if (!is_complete() && !speakers_.contains(speaker)) return std::nullopt;
    auto found = TreeTable::find(audio);
    const bool lacks_lists = speakers_.empty() && !has_wanted_subset({}, options().subsets);
    if (found && found->front().subsets.empty() && (options().needs_splits || lacks_lists))
      throw Error(
          "nothing says whether this is for training or for tests: vox1_meta.csv or vox2_meta.csv, with its "
          "speaker, is not there",
          at(std::string(audio)), "put it beside the audio or the archives, and give their folder",
          Remedy::choose_subset);
    return found;
  }

 private:
  struct Speaker {
    std::string nationality;
    std::string set;
  };

  /// Columns with tabs in between (VoxCeleb 1) or commas (2).
  void read_speakers(const TreeText& text) override {
    TreeLines lines(text);
    std::string_view line;
    if (!lines.next_row(line)) return;
    const char delimiter = line.find(',') == line.npos ? '\t' : ',';
    const TreeColumns columns(line, delimiter);
    const std::string_view id = columns.find("VoxCeleb1 ID") ? "VoxCeleb1 ID" : "VoxCeleb2 ID";
    try {
      for (const std::string_view name : {id, std::string_view("Gender"), std::string_view("Set")})
        columns.at(name);
      while (lines.next(line)) {
        const TreeRow row(columns, line, delimiter, lines.line_number());
        row.check_size();
        set_gender(row[id], row["Gender"]);
        // What the publisher calls dev is what all train on.
        const std::string_view set = row["Set"] == "dev" ? "train" : row["Set"];
        speakers_.insert_or_assign(std::string(row[id]),
                                   Speaker{std::string(row["Nationality"]), std::string(set)});
      }
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }

  /// "id10001-1zcIwhmdeo4-00001": each video has its own numbers.
  std::string key_of(std::string_view audio) const override {
    return fmt::format("{}-{}-{}", path_part(audio, 2), path_part(audio, 1), stem_of(audio));
  }
  std::string id_of(std::string_view audio) const override { return key_of(audio); }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker(path_part(audio, 2));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    utterance.facts.text("recording", path_part(audio, 1));
    const auto known = speakers_.find(speaker);
    if (known == speakers_.end()) return;
    utterance.facts.text("nationality", known->second.nationality);
    if (!known->second.set.empty()) utterance.subsets = {known->second.set};
  }

  std::unordered_map<std::string, Speaker> speakers_;
};

}  // namespace

constinit const Corpus kVoxCeleb{
    .prefix = "voxceleb",
    .name = "VoxCeleb",
    .texts =
        "*/vox1_meta.csv|*/vox2_meta.csv|*/id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].wav|*/"
        "id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].m4a",
    .beside_texts =
        "*/id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].wav|*/"
        "id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].m4a|*/vox[12]_*.zip|*/vox[12]_*_part??",
    .needed = "vox1_meta.csv or vox2_meta.csv",
    .in_archive =
        "*/id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].wav|*/"
        "id[0-9][0-9][0-9][0-9][0-9]/?*/[0-9][0-9][0-9][0-9][0-9].m4a",
    .is_textless = true,
    .speakers = {"gender", "vox1_meta.csv or vox2_meta.csv"},
    .splits = Splits::together,
    .make = make_tree<VoxCeleb>};

}  // namespace shardmill::source
