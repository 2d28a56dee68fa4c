// AISHELL-4 and AliMeeting: meetings, with a TextGrid of who said what and when for each recording.
#include <fmt/format.h>

#include <algorithm>

#include "source/names/audio_name.hpp"
#include "source/texts/text_grid.hpp"
#include "source/texts/tree_recordings.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

/// What the name of a tier, or of a recording, says of the speaker.
struct Speaker {
  std::string name;
  std::string gender;
};

class Meetings : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path.ends_with(".TextGrid") ? Role::text : Role::other;
  }

  /// The TextGrid of a far microphone lacks the number of the microphone.
  std::string_view awaited(std::string_view path) const override {
    const std::string_view stem = audio_name(path).stem;
    return stem.substr(0, stem.find("_MS"));
  }

  void read(const TreeText& text) override {
    const std::string id = stem_of(text.path);
    Recording& recording = this->recording(grid_id(text.path), text);
    if (!recording.segments.empty())
      throw Error("is a second TextGrid of the same recording", at(text.place));
    for (const GridInterval& interval : read_text_grid(text)) {
      const Speaker speaker = speaker_of(id, interval.tier);
      Facts facts;
      facts.text("speaker", speaker.name).text("gender", speaker.gender).language("zh");
      recording.segments.push_back({.key = keep(fmt::format("{}-{:04}", speaker.name, interval.number)),
                                    .text = keep(interval.text),
                                    .facts = keep(facts.members()),
                                    .subsets = {},
                                    .begin_seconds = interval.begin_seconds,
                                    .end_seconds = interval.end_seconds,
                                    .line = interval.line});
    }
    std::stable_sort(recording.segments.begin(), recording.segments.end(),
                     [](const Segment& a, const Segment& b) { return a.begin_seconds < b.begin_seconds; });
  }

 protected:
  virtual std::string grid_id(std::string_view path) const { return stem_of(path); }
  virtual Speaker speaker_of(const std::string& id, const std::string& tier) const = 0;

 private:
  std::string cut_by(std::string_view audio) const override {
    return std::string(awaited(audio)) + ".TextGrid";
  }
  std::string key_of(std::string_view audio, const Segment& segment) const override {
    const std::string stem = stem_of(audio);
    if (segment.key.starts_with(stem)) return std::string(segment.key);
    return fmt::format("{}-{}", stem, segment.key);
  }
};

/// PART/wav/ID.flac and PART/TextGrid/ID.TextGrid; the speakers have numbers in their own recording only.
class Aishell4 final : public Meetings {
 public:
  using Meetings::Meetings;

 private:
  Speaker speaker_of(const std::string& id, const std::string& tier) const override {
    return {.name = fmt::format("{}-{}", id, tier), .gender = {}};
  }
  std::string_view subset_of(std::string_view audio) const override {
    return folder_among(audio, {"train_L", "train_M", "train_S", "test"});
  }
};

/// PART/audio_dir/*.wav and PART/textgrid_dir/*.TextGrid. Of the far microphones the meeting has one, and the
/// tiers name the speakers; of the near ones each speaker has one.
class AliMeeting final : public Meetings {
 public:
  using Meetings::Meetings;

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

TreeCorpusPtr make_aishell4(const TreeOptions& options) {
  check_text_field(options, {});
  return std::make_unique<Aishell4>(options);
}

TreeCorpusPtr make_alimeeting(const TreeOptions& options) {
  check_text_field(options, {});
  return std::make_unique<AliMeeting>(options);
}

}  // namespace shardmill::source
