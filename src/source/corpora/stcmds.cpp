// ST-CMDS: 20170001P00001A0001.wav, and beside it a .txt with the transcript.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class StCmds final : public TreeTable {
 public:
  explicit StCmds(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ""}) {}

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    const std::string_view name = path_part(path, 0);
    return name.starts_with("2017") && name.ends_with(".txt") ? Role::text : Role::other;
  }
  std::string_view awaited(std::string_view path) const override { return without_extension(path); }

  void read_transcripts(const TreeText& text) override {
    add(stem_of(text.path), whole_transcript(text), text);
  }

 private:
  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    constexpr std::size_t kBegin = 8;  // after the number of the recording campaign
    constexpr std::size_t kLength = 7;
    if (utterance.key.size() > kBegin + kLength)
      utterance.facts.text("speaker", std::string_view(utterance.key).substr(kBegin, kLength));
  }
};

}  // namespace

constinit const Corpus kStCmds{.prefix = "stcmds",
                               .name = "ST-CMDS",
                               .texts = "*/2017000*P*A*.txt",
                               .audio = "*/2017000*P*A*.wav",
                               .needed = "a .txt beside each .wav",
                               .in_archive = "*/ST-CMDS*/2017000*",
                               .has_text_beside = true,
                               .splits = Splits::none,
                               .make = make_tree<StCmds>};

}  // namespace shardmill::source
