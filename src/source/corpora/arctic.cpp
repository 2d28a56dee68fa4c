// CMU ARCTIC: cmu_us_SPEAKER_arctic/etc/txt.done.data, lines like ( arctic_a0001 "Author of ..." ), and
// cmu_us_SPEAKER_arctic/wav/arctic_a0001.wav.
#include <algorithm>

#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Arctic final : public TreeTable {
 public:
  explicit Arctic(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "txt.done.data", .covers = TableFiles::Covers::folder}) {}

  Role role(std::string_view path) const override {
    // What was recorded lies in orig/, with the signal of another instrument in a second channel.
    return path_part(path, 1) == "orig" ? Role::other : TreeTable::role(path);
  }
  std::string_view awaited(std::string_view path) const override { return folder_of(folder_of(path)); }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::size_t first = line.find('"');
      const std::size_t last = line.rfind('"');
      if (!line.starts_with('(') || first == last) throw Error("is not made of ( ID \"TEXT\" )");
      std::string_view id = line.substr(1, first - 1);
      id.remove_prefix(std::min(id.find_first_not_of(' '), id.size()));
      add(speaker_of(text.path) + "_" + std::string(take_field(id)), line.substr(first + 1, last - first - 1),
          text, number);
    });
  }

 private:
  /// "bdl" of "cmu_us_bdl_arctic/wav/arctic_a0001.wav".
  static std::string speaker_of(std::string_view path) {
    std::string_view folder = path_part(path, 2);
    constexpr std::string_view kBegin = "cmu_us_";
    if (folder.starts_with(kBegin)) folder.remove_prefix(kBegin.size());
    return std::string(folder.substr(0, folder.find("_arctic")));
  }
  static std::string name_of(std::string_view path) { return speaker_of(path) + "_" + stem_of(path); }

  std::string id_of(std::string_view audio) const override { return name_of(audio); }
  std::string key_of(std::string_view audio) const override { return name_of(audio); }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", speaker_of(audio)).language("en");
  }
};

}  // namespace

constinit const Corpus kArctic{.prefix = "arctic",
                               .name = "CMU ARCTIC",
                               .texts = "*/etc/txt.done.data",
                               .beside_texts = "*/wav/arctic_[ab][0-9]*.wav",
                               .audio = "*/wav/arctic_[ab][0-9]*.wav",
                               .needed = "etc/txt.done.data",
                               .in_archive = "*/cmu_us_*_arctic/*|*/wav/arctic_[ab][0-9]*.wav",
                               .splits = Splits::none,
                               .make = make_tree<Arctic>};

}  // namespace shardmill::source
