// AISHELL-1: transcript/aishell_transcript_v0.8.txt and wav/SPLIT/SPEAKER/ID.wav, as it is downloaded with an
// archive a speaker.
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

class Aishell final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    return name.starts_with("aishell_transcript") || name == "speaker.info" ? Role::text : Role::other;
  }

  Packed packed() const override { return Packed::by_name; }
  /// It comes in an archive of its own, resource_aishell.tgz.
  Above above(std::string_view name) const override {
    return name == "speaker.info" ? Above::remarks : Above::no;
  }

  void read(const TreeText& text) override {
    const bool is_speakers = path_part(text.path, 0) == "speaker.info";
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      if (is_speakers) {
        set_gender(id.starts_with('S') ? id : "S" + id, line);
      } else {
        add(id, line, text, number);
      }
    });
    if (!is_speakers) set_read({});
  }

 private:
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker(path_part(audio, 1));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    const std::string_view split = folder_among(audio, {"train", "dev", "test"});
    if (!split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

TreeCorpusPtr make_aishell(const TreeOptions& options) {
  check_text_field(options, {});
  return std::make_unique<Aishell>(options);
}

}  // namespace shardmill::source
