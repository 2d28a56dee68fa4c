// 3D-Speaker: train/SPEAKER/ID_Device01_Distance00_Dialect00.wav, without texts; files/train_utt2info.csv and
// files/test_utt2info.csv, or utt2info.csv, list all of it; the last one not by splits.
#include <fmt/format.h>

#include <set>
#include <unordered_map>
#include <unordered_set>

#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class ThreeDSpeaker final : public TreeTable {
 public:
  explicit ThreeDSpeaker(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "",
                                       .speakers = "utt2info.csv|train_utt2info.csv|test_utt2info.csv",
                                       .covers = TableFiles::Covers::textless}) {}

  /// The list says nothing of audio that is there, but which audio there should be.
  bool awaits_remarks() const override { return false; }
  Above above(std::string_view) const override { return Above::no; }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    found_.insert(stem_of(audio));
    const std::string split(split_of(audio));
    if (!split.empty()) splits_.insert(split);
    split_of_speaker_.try_emplace(std::string(path_part(audio, 1)), split);
    return TreeTable::find(audio);
  }

  /// Of a speaker without any audio the split is unknown. A user who has one of the two splits does not miss
  /// the other.
  void report_rest(const Lose& lose) const override {
    const auto& wanted = options().subsets;
    const bool wants_all = wanted.empty() && !options().needs_splits;  // --subset all
    // Without any audio, this is the reader that answers for several archives.
    const bool has_all = splits_.size() > 1 || (splits_.empty() && wants_all);
    for (const Listed& listed : listed_) {
      if (found_.contains(listed.id)) continue;
      const auto known = split_of_speaker_.find(listed.speaker);
      const std::string& split =
          listed.split.empty() && known != split_of_speaker_.end() ? known->second : listed.split;
      const bool is_unknown = listed.split.empty() && known == split_of_speaker_.end();
      // Whoever has one of the two archives does not miss the other.
      const bool has_other = !listed.split.empty() && !splits_.empty() && !splits_.contains(listed.split);
      const bool is_missed =
          is_unknown || has_other ? has_all : split.empty() || has_wanted_subset({split}, wanted);
      if (!is_missed) continue;
      lose({.key = listed.id,
            .error = Error(fmt::format("line {}: lists '{}', but there is no such audio", listed.line,
                                       printable(listed.id)),
                           at(listed.place))});
    }
  }

 private:
  struct Listed {
    std::string id;
    std::string speaker;
    std::string split;  // empty: its list does not say it
    std::string place;
    std::uint64_t line = 0;
  };

  void read_speakers(const TreeText& text) override {
    const bool is_published = text.content.starts_with("Utt-id");
    const std::string_view id = is_published ? "Utt-id" : "utt";
    const std::string_view speaker = is_published ? "Spk-id" : "spk";
    const std::string name = stem_of(text.path);
    const std::string split = name.starts_with("t") ? name.substr(0, name.find('_')) : std::string();
    for_each_row(text, ',', {id, speaker}, [&](const TreeRow& row) {
      listed_.push_back({.id = stem_of(row[id]),
                         .speaker = std::string(row[speaker]),
                         .split = split,
                         .place = text.place,
                         .line = row.line_number()});
    });
  }
  static std::string_view split_of(std::string_view audio) { return folder_among(audio, {"train", "test"}); }

  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    utterance.facts.text("device", number_after("_Device", utterance.key));
    utterance.facts.text("distance", number_after("_Distance", utterance.key));
    utterance.facts.text("dialect", number_after("_Dialect", utterance.key)).language("zh");
    if (const std::string_view split = split_of(audio); !split.empty()) utterance.subsets.emplace_back(split);
  }

  /// "01" of "…_Device01_…".
  static std::string_view number_after(std::string_view name, std::string_view key) {
    const std::size_t begin = key.find(name);
    if (begin == key.npos) return {};
    key.remove_prefix(begin + name.size());
    return key.substr(0, key.find('_'));
  }

  std::vector<Listed> listed_;
  std::unordered_set<std::string> found_;
  std::set<std::string> splits_;  // with audio
  std::unordered_map<std::string, std::string> split_of_speaker_;
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
