// Zeroth-Korean: PART/SCRIPT/SPEAKER/SPEAKER_SCRIPT.trans.txt and SPEAKER_SCRIPT_NUMBER.flac beside it;
// AUDIO_INFO tells of the speakers.
#include "source/corpora/list.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Zeroth final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path.ends_with(".trans.txt") || path_part(path, 0) == "AUDIO_INFO" ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    return name == "AUDIO_INFO" ? Above::remarks : Above::no;
  }
  std::string_view awaited(std::string_view path) const override { return folder_of(path); }
  bool awaits_remarks() const override { return !is_complete() && !has_speakers_; }

  void read(const TreeText& text) override {
    const bool is_speakers = path_part(text.path, 0) == "AUDIO_INFO";
    has_speakers_ = has_speakers_ || is_speakers;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      // Lines like "103|NAME|m|003|train_data_01", the first of which has the names of the columns.
      if (is_speakers) {
        const auto fields = split_fields(line, '|');
        if (fields.size() > 2 && fields[2] != "SEX") set_gender(fields[0], fields[2]);
        return;
      }
      const std::string_view id = take_field(line);
      add(std::string(id), line, text, number);
    });
    if (!is_speakers) set_read(std::string(folder_of(text.path)));
  }

 private:
  std::string scope_of(std::string_view audio) const override { return std::string(folder_of(audio)); }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, utterance.key.find('_'));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker)).language("ko");
    if (const std::string_view part = path_part(audio, 3);
        part.starts_with("train") || part.starts_with("test"))
      utterance.subsets.emplace_back(part);
  }

  bool has_speakers_ = false;
};

}  // namespace

constinit const Corpus kZeroth{
    .prefix = "zeroth",
    .name = "Zeroth-Korean",
    .texts = "*/[0-9]*_[0-9]*.trans.txt",
    .beside_texts = "*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac",
    .audio = "*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac",
    .needed = "*.trans.txt",
    .in_archive = "*/[0-9]*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac|*/[0-9]*/[0-9]*_[0-9]*.trans.txt",
    .speakers = {"gender", "AUDIO_INFO"},
    .splits = Splits::together,
    .make = make_tree<Zeroth>};

}  // namespace shardmill::source
