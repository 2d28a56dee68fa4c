// aidatatang_200zh: transcript/aidatatang_200_zh_transcript.txt and corpus/SPLIT/SPEAKER/ID.wav, as it is
// downloaded with an archive a speaker.
#include "source/corpora/list.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Aidatatang final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0) == "aidatatang_200_zh_transcript.txt" ? Role::text : Role::other;
  }

  Packed packed() const override { return Packed::by_name; }

  void read(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string id(take_field(line));
      add(id, line, text, number);
    });
    set_read({});
  }

 private:
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view split = folder_among(audio, {"train", "dev", "test"});
    if (!split.empty()) utterance.subsets.emplace_back(split);
  }
};

}  // namespace

constinit const Corpus kAidatatang{
    .prefix = "aidatatang",
    .name = "aidatatang_200zh",
    .texts =
        "*/aidatatang_200_zh_transcript.txt|*/dev/*/T0055G[0-9]*S[0-9]*.txt|*/test/*/T0055G[0-9]*S[0-9]*.txt",
    .audio = "*/T0055G[0-9]*S[0-9]*|*/corpus/*/G[0-9][0-9][0-9][0-9].tar.gz",
    .needed = "transcript/aidatatang_200_zh_transcript.txt",
    .splits_table = "*/aidatatang_200_zh_transcript.txt",
    .in_archive = "*/aidatatang_200_zh_transcript.txt|*/corpus/*/G[0-9]*",
    .has_text_beside = true,
    .splits = Splits::together,
    .make = make_tree<Aidatatang>};

}  // namespace shardmill::source
