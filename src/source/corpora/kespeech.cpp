// KeSpeech: Audio/SPEAKER/PHASE/ID.wav, and in Tasks/ASR/SPLIT/ the lists text, utt2spk and utt2subdialect.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class KeSpeech final : public TreeTable {
 public:
  explicit KeSpeech(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "text|utt2subdialect"}) {}

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    const bool is_list = name == "text" || name == "utt2subdialect";
    return is_list && path_part(path, 2) == "ASR" && path_part(path, 3) == "Tasks" ? Role::text : Role::other;
  }

  void read_transcripts(const TreeText& text) override {
    const bool is_text = path_part(text.path, 0) == "text";
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      if (is_text) {
        add(id, line, text, number).subsets = {std::string(path_part(text.path, 1))};
      } else {
        dialects_.try_emplace(id, line);
      }
    });
  }

 private:
  /// The dialect is in another file than the text, and may come later.
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    if (!is_complete() && !dialects_.contains(stem_of(audio))) return std::nullopt;
    return TreeTable::find(audio);
  }

  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", std::string_view(utterance.key).substr(0, utterance.key.find('_')));
    const auto dialect = dialects_.find(utterance.key);
    if (dialect != dialects_.end()) utterance.facts.text("dialect", dialect->second);
  }

  std::unordered_map<std::string, std::string> dialects_;
};

}  // namespace

constinit const Corpus kKeSpeech{.prefix = "kespeech",
                                 .name = "KeSpeech",
                                 .texts = "*/Tasks/ASR/*|*/Tasks",
                                 .beside_texts = "*/Audio/*",
                                 .audio = "*/Audio/*/[0-9][0-9][0-9][0-9][0-9][0-9][0-9]_*.wav",
                                 .needed = "Tasks/ASR/",
                                 .in_archive = "*/KeSpeech/*|*/Tasks/ASR/*|*/Audio/[0-9]*/phase*",
                                 .speakers = {"dialect", "utt2subdialect"},
                                 .splits = Splits::together,
                                 .make = make_tree<KeSpeech>};

}  // namespace shardmill::source
