// 3D-Speaker: train/SPEAKER/ID_Device01_Distance00_Dialect00.wav, without texts.
#include "source/corpora/list.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class ThreeDSpeaker final : public TreeTable {
 public:
  explicit ThreeDSpeaker(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .covers = TableFiles::Covers::textless}) {}

 private:
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    utterance.facts.text("device", number_after("_Device", utterance.key));
    utterance.facts.text("distance", number_after("_Distance", utterance.key));
    utterance.facts.text("dialect", number_after("_Dialect", utterance.key)).language("zh");
    if (const std::string_view split = folder_among(audio, {"train", "test"}); !split.empty())
      utterance.subsets.emplace_back(split);
  }

  /// "01" of "…_Device01_…".
  static std::string_view number_after(std::string_view name, std::string_view key) {
    const std::size_t begin = key.find(name);
    if (begin == key.npos) return {};
    key.remove_prefix(begin + name.size());
    return key.substr(0, key.find('_'));
  }
};

}  // namespace

constinit const Corpus kThreeDSpeaker{
    .prefix = "threedspeaker",
    .name = "3D-Speaker",
    .texts = "*_Device[0-9][0-9]_Distance[0-9][0-9]_Dialect[0-9][0-9].wav",
    .needed = "train/ and test/",
    .in_archive = "*_Device[0-9][0-9]_Distance[0-9][0-9]_Dialect[0-9][0-9].wav",
    .is_textless = true,
    .make = make_tree<ThreeDSpeaker>};

}  // namespace shardmill::source
