// MDCC: cnt_asr_SPLIT_metadata.csv of audio_path,text_path,gender,duration; audio/ID.wav, and
// transcription/ID.txt.
#include <fmt/format.h>

#include <unordered_map>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Mdcc final : public TreeTable {
 public:
  explicit Mdcc(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ""}) {}

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const bool is_text = path_part(path, 1) == "transcription" && path.ends_with(".txt");
    return is_text || !split_of(path).empty() ? Role::text : Role::other;
  }

  void read_transcripts(const TreeText& text) override {
    if (split_of(text.path).empty()) {
      words_.insert_or_assign(stem_of(text.path), whole_transcript(text));
      return;
    }
    for_each_row(text, ',', {"audio_path", "text_path", "gender"}, [&](const TreeRow& fields) {
      Row& row = add(stem_of(fields["audio_path"]), "", text, fields.line_number());
      row.subsets = {std::string(split_of(text.path))};
      row.seconds = seconds_in(fields["duration"]);
      row.facts.text("gender", fields["gender"]).language("yue");
      files_.insert_or_assign(row.id, stem_of(fields["text_path"]));
    });
  }

  /// The table names the text, which has a file of its own.
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    const auto file = files_.find(stem_of(audio));
    if (file == files_.end()) return TreeTable::find(audio);
    const auto words = words_.find(file->second);
    if (words == words_.end() && !is_complete()) return std::nullopt;
    const bool is_there = words != words_.end();
    if (is_there) row_of(file->first).text = words->second;
    auto found = TreeTable::find(audio);
    if ((!is_there || words->second.empty()) && options().needs_tables) {
      const Row& row = row_of(file->first);
      TreeUtterance& utterance = found->front();
      utterance.lacks =
          fmt::format("its text {}.txt, which line {} of {} names, is {}", printable(file->second), row.line,
                      place_of(row), is_there ? "empty" : "not there");
      utterance.lacks_text = true;
    }
    return found;
  }

 private:
  /// "train" of "cnt_asr_train_metadata.csv"; empty for another name.
  static std::string_view split_of(std::string_view path) {
    constexpr std::string_view kBegin = "cnt_asr_";
    constexpr std::string_view kEnd = "_metadata.csv";
    std::string_view name = path_part(path, 0);
    if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd))
      return {};
    name.remove_suffix(kEnd.size());
    return name.substr(kBegin.size());
  }
  std::string listed_in(std::string_view) const override { return "cnt_asr_*_metadata.csv"; }
  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  std::unordered_map<std::string, std::string> words_;  // by the name of their file
  std::unordered_map<std::string, std::string> files_;  // of each row, the name of its text
};

}  // namespace

constinit const Corpus kMdcc{
    .prefix = "mdcc",
    .name = "MDCC",
    .texts = "*/cnt_asr_*_metadata.csv",
    .needed = "cnt_asr_train_metadata.csv",
    .in_archive =
        "*/cnt_asr_*_metadata.csv|*/dataset/audio/[0-9]*_[0-9]*|*/dataset/transcription/[0-9]*_[0-9]*.txt",
    .splits = Splits::together,
    .make = make_tree<Mdcc>};

}  // namespace shardmill::source
