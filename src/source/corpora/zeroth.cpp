// Zeroth-Korean: PART/SCRIPT/SPEAKER/SPEAKER_SCRIPT.trans.txt and SPEAKER_SCRIPT_NUMBER.flac beside it;
// AUDIO_INFO lists the speakers.
#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Zeroth final : public TreeTable {
 public:
  explicit Zeroth(TreeOptions options)
      : TreeTable(
            std::move(options),
            {.transcripts = ".trans.txt", .speakers = "AUDIO_INFO", .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override { return folder_of(path); }

 private:
  /// Lines like "103|NAME|m|003|train_data_01", below a header.
  void read_speakers(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const auto fields = split_fields(line, '|');
      if (fields.size() > 2 && fields[2] != "SEX") set_gender(fields[0], fields[2]);
    });
  }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker = utterance.key.substr(0, utterance.key.find('_'));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker)).language("ko");
    if (const std::string_view part = path_part(audio, 3);
        part.starts_with("train") || part.starts_with("test"))
      utterance.subsets.emplace_back(part);
  }
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
