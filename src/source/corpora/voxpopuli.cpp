// VoxPopuli, its transcribed part: LANGUAGE/YEAR/ID.ogg and LANGUAGE/asr_SPLIT.tsv.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class VoxPopuli final : public TreeTable {
 public:
  explicit VoxPopuli(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .may_be_above = true}) {}

  /// On Hugging Face the tables lie beside archives of the audio.
  Packed packed() const override { return Packed::anyhow; }
  /// "train_part_0" holds nothing of other splits.
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const std::size_t end = packed_name.find("_part_");
    const Row* row = find_row(key);
    return end == packed_name.npos || row == nullptr || row->subsets.front() == packed_name.substr(0, end);
  }

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    // asr_LANGUAGE.tsv.gz, which the publisher's script leaves there, has another form.
    const std::string split = split_of(path);
    return split == "train" || split == "dev" || split == "test" ? Role::text : Role::other;
  }

  void read_transcripts(const TreeText& text) override {
    const std::string_view words = options().text_field == "raw_text" ? "raw_text" : "normalized_text";
    for_each_row(text, '\t', {"id", words}, [&](const TreeRow& fields) {
      Row& row = add(std::string(fields["id"]), fields[words], text, fields.line_number());
      row.speaker = fields["speaker_id"];
      row.subsets = {fields["split"].empty() ? split_of(text.path) : std::string(fields["split"])};
      row.facts.text("gender", fields["gender"]).language(language_of(text.path));
    });
  }

 private:
  /// "train" of "asr_train.tsv" and of "asr_train.tsv.gz"; empty for another name.
  static std::string split_of(std::string_view path) {
    std::string_view name = path_part(path, 0);
    constexpr std::string_view kBegin = "asr_";
    if (name.ends_with(".gz")) name.remove_suffix(3);
    if (!name.starts_with(kBegin) || !name.ends_with(".tsv")) return {};
    return stem_of(name.substr(kBegin.size()));
  }

  /// "en" of "en/asr_test.tsv" and of "en_accented/asr_test.tsv".
  static std::string_view language_of(std::string_view path) {
    const std::string_view folder = path_part(path, 1);
    return folder.substr(0, folder.find('_'));
  }

  std::string listed_in(std::string_view) const override {
    return "asr_train.tsv, asr_dev.tsv or asr_test.tsv";
  }
  /// Some names hold dots or colons: the id is the name without its extension.
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    if (row != nullptr) return;
    // On Hugging Face "train_part_0" is the folder in an archive, or the one that it was unpacked to; the
    // archive lies in "train".
    for (const std::size_t level : {1U, 2U}) {
      const std::string_view folder = path_part(audio, level);
      const std::string_view split = folder.substr(0, folder.find("_part_"));
      if (split == folder && level != 1) continue;
      if (split != "train" && split != "dev" && split != "test") continue;
      return void(utterance.subsets.emplace_back(split));
    }
  }
};

}  // namespace

constinit const Corpus kVoxPopuli{.prefix = "voxpopuli",
                                  .name = "VoxPopuli",
                                  .texts = "*/asr_*.tsv|*/asr_*.tsv.gz",
                                  .audio = "*/[0-9]*-PLENARY-*",
                                  .needed = "transcribed_data/*/asr_*.tsv",
                                  .in_archive = "*/asr_*.tsv|*/[0-9]*/[0-9]*-PLENARY-*",
                                  .text_fields = "normalized_text|raw_text",
                                  .make = make_tree<VoxPopuli>};

}  // namespace shardmill::source
