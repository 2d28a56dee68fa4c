// AliMeeting: PART/audio_dir/*.wav and PART/textgrid_dir/*.TextGrid.
#include "source/corpora/list.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

/// Of the far microphones the meeting has one TextGrid, whose tiers name the speakers; of the near ones each
/// speaker has one.
class AliMeeting final : public TreeMeetings {
 public:
  using TreeMeetings::TreeMeetings;

 private:
  /// "R0003_M0046" of "R0003_M0046_MS002".
  std::string id_of(std::string_view audio) const override {
    const std::string stem = stem_of(audio);
    return std::string(folder_of(folder_of(audio))) + "/" + stem.substr(0, stem.find("_MS"));
  }
  std::string grid_id(std::string_view path) const override {
    return std::string(folder_of(folder_of(path))) + "/" + stem_of(path);
  }

  /// "R0003_M0046_F_SPK0093" or "F_SPK0093".
  Speaker speaker_of(const std::string& id, const std::string& tier) const override {
    for (const std::string& name : {tier, id}) {
      const std::size_t begin = name.find("SPK");
      if (begin == name.npos) continue;
      const bool has_gender = begin >= 2 && (name[begin - 2] == 'F' || name[begin - 2] == 'M');
      return {.name = name.substr(begin), .gender = has_gender ? name.substr(begin - 2, 1) : ""};
    }
    return {.name = tier, .gender = {}};
  }
  std::string_view subset_of(std::string_view audio) const override {
    for (std::size_t i = 1; !path_part(audio, i).empty(); ++i) {
      const std::string_view part = path_part(audio, i);
      if (part.starts_with("Train_Ali")) return "train";
      if (part.starts_with("Eval_Ali")) return "eval";
      if (part.starts_with("Test_Ali")) return "test";
    }
    return {};
  }
};

}  // namespace

constinit const Corpus kAliMeeting{.prefix = "alimeeting",
                                   .name = "AliMeeting",
                                   .texts = "*.TextGrid",
                                   .beside_texts = "*/*audio_dir/*",
                                   .audio = "*/*audio_dir/*",
                                   .needed = "textgrid_dir/*.TextGrid",
                                   .in_archive = "*/audio_dir/*|*/textgrid_dir/*",
                                   .make = make_tree<AliMeeting>};

}  // namespace shardmill::source
