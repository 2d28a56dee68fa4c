// Multilingual LibriSpeech: SPLIT/audio/SPEAKER/BOOK/ID.flac and SPLIT/transcripts.txt.
#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Mls final : public TreeTable {
 public:
  explicit Mls(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "transcripts.txt",
                                       .speakers = "metainfo.txt",
                                       .may_be_above = true,
                                       .covers = TableFiles::Covers::folder}) {}

  /// On Hugging Face: audio/SPEAKER_BOOK_000.tar.gz for the clips SPEAKER_BOOK_000000 to SPEAKER_BOOK_000999.
  /// There may be millions: all archives share one table.
  Packed packed() const override { return Packed::anyhow; }
  bool is_pack(std::string_view path) const override {
    const std::string name = packed_name(path);
    return name.find_first_not_of("0123456789_") == name.npos;
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    return key.starts_with(packed_name);
  }
  std::string_view awaited(std::string_view path) const override { return folder_above(path, "/audio/"); }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      add(id, line, text, number).subsets = {std::string(path_part(text.path, 1))};
    });
  }

 private:
  /// "SPEAKER | GENDER | PARTITION | MINUTES | ...".
  void read_speakers(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const auto fields = split_fields(line, '|');
      if (fields.size() > 1) set_gender(fields[0], fields[1]);
    });
  }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, utterance.key.find('_'));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    for (std::size_t i = 1; !path_part(audio, i).empty(); ++i) {
      std::string_view part = path_part(audio, i);
      if (!part.starts_with("mls_")) continue;
      part.remove_prefix(4);
      utterance.facts.language(part.substr(0, part.find('_')));
      break;
    }
    const std::string_view split = path_part(awaited(audio), 0);
    if (utterance.subsets.empty() && !split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kMls{.prefix = "mls",
                            .name = "Multilingual LibriSpeech (MLS)",
                            .texts = "*/transcripts.txt",
                            .beside_texts = "*/audio/*",
                            .audio = "*/audio/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*",
                            .needed = "transcripts.txt",
                            .in_archive = "*/audio/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*",
                            .speakers = {"gender", "metainfo.txt"},
                            .splits = Splits::together,
                            .make = make_tree<Mls>};

}  // namespace shardmill::source
