// AISHELL-2: folders of trans.txt and wav/SPEAKER/ID.wav, for training and, a device each, for dev and test.
#include "source/names/audio_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

class Aishell2 final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0) == "trans.txt" ? Role::text : Role::other;
  }
  std::string_view awaited(std::string_view path) const override {
    const std::size_t wav = path.rfind("/wav/");
    return wav == path.npos ? folder_of(path) : path.substr(0, wav);
  }

  void read(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string_view id = take_field(line);
      add(row_id(folder_of(text.path), id), line, text, number);
    });
    set_read(std::string(folder_of(text.path)));
  }

 private:
  static std::string row_id(std::string_view part, std::string_view id) {
    return std::string(part) + "/" + std::string(id);
  }
  /// Parts may have the same names.
  bool loses_by_key() const override { return false; }
  std::string id_of(std::string_view audio) const override { return row_id(awaited(audio), stem_of(audio)); }
  std::string scope_of(std::string_view audio) const override { return std::string(awaited(audio)); }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view device = folder_among(audio, {"iOS", "Android", "Mic"});
    utterance.facts.text("device", device);
    const std::string_view split = folder_among(audio, {"dev", "test"});
    utterance.subsets.emplace_back(split.empty() ? "train" : split);
  }
};

}  // namespace

TreeCorpusPtr make_aishell2(const TreeOptions& options) {
  check_text_field(options, {});
  return std::make_unique<Aishell2>(options);
}

}  // namespace shardmill::source
