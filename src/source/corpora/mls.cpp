// Multilingual LibriSpeech: SPLIT/audio/SPEAKER/BOOK/ID.flac and SPLIT/transcripts.txt.
#include "source/corpora/list.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Mls final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    return name == "transcripts.txt" || name == "metainfo.txt" ? Role::text : Role::other;
  }
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
  Above above(std::string_view name) const override {
    if (name == "transcripts.txt") return Above::transcripts;
    return name == "metainfo.txt" ? Above::remarks : Above::no;
  }
  std::string_view awaited(std::string_view path) const override {
    const std::size_t audio = path.rfind("/audio/");
    return audio == path.npos ? folder_of(path) : path.substr(0, audio);
  }

  bool awaits_remarks() const override { return !has_speakers_; }

  void read(const TreeText& text) override {
    if (path_part(text.path, 0) == "metainfo.txt") return read_speakers(text);
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      add(id, line, text, number).subsets = {std::string(path_part(text.path, 1))};
    });
    set_read(std::string(folder_of(text.path)));
  }

 private:
  /// "SPEAKER | GENDER | PARTITION | MINUTES | ...".
  void read_speakers(const TreeText& text) {
    has_speakers_ = true;
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const auto fields = split_fields(line, '|');
      if (fields.size() > 1) set_gender(fields[0], fields[1]);
    });
  }

  std::string scope_of(std::string_view audio) const override { return std::string(awaited(audio)); }

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

  bool has_speakers_ = false;
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
