// TED-LIUM: sph/TALK.sph and stm/TALK.stm, whose lines are segments.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class TedLium final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path.ends_with(".stm") ? Role::text : Role::other;
  }

  std::string_view awaited(std::string_view path) const override { return audio_name(path).stem; }

  bool awaits_remarks() const override { return !is_complete() && (!has_talks_ || has_unsplit_talks_); }
  /// Of release 3, the folders of the splits hold links to a folder of all talks.
  bool take_link(std::string_view path) override {
    const std::string_view split = folder_among(path, {"train", "dev", "test"});
    if (split.empty()) return TreeRecordings::take_link(path);
    if (role(path) != Role::other) splits_.try_emplace(stem_of(path), split);
    return true;
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    auto found = TreeRecordings::find(audio);
    if (!found || !options().needs_splits) return found;
    const bool is_lost = std::any_of(found->begin(), found->end(), [](const TreeUtterance& each) {
      return each.text && each.subsets.empty();
    });
    if (is_lost)
      throw unknown_split(
          audio, "the folders legacy/train, legacy/dev and legacy/test, with this talk in one of them, are");
    return found;
  }

  /// Lines like "TALK 1 SPEAKER 16.24 26.25 <o,f0,female> text".
  void read(const TreeText& text) override {
    const std::string_view split = folder_among(text.path, {"train", "dev", "test"});
    has_talks_ = true;
    has_unsplit_talks_ = has_unsplit_talks_ || split.empty();
    // Without a line it is lost, and not a talk in which nothing is said.
    if (text.content.find_first_not_of(" \t\r\n") == text.content.npos) return;
    const bool is_second = has(stem_of(text.path));
    Recording& recording = this->recording(stem_of(text.path), text);
    if (is_second) return add_subset(recording, split);
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      if (!line.starts_with(";;")) add(recording, line, split, number);
    });
  }

 private:
  /// Release 3 also has a folder with the talks of all splits.
  void add_subset(Recording& recording, std::string_view split) {
    for (Segment& segment : recording.segments) {
      if (segment.subsets.empty()) segment.subsets = keep(split);
    }
  }

  void add(Recording& recording, std::string_view line, std::string_view split, std::uint64_t number) {
    const std::string_view talk = take_field(line);
    take_field(line);
    const std::string_view speaker = take_field(line);
    const double begin = seconds_from(take_field(line));
    const double end = seconds_from(take_field(line));
    std::string_view label;
    if (line.starts_with('<')) label = take_field(line);
    if (line == "ignore_time_segment_in_scoring" || speaker == "inter_segment_gap") return;
    if (line.empty()) throw Error("has times, but no text: the file may be cut");
    Facts facts;
    facts.text("speaker", speaker);
    facts.text("gender", label.find("female") != label.npos ? "female"
                         : label.find("male") != label.npos ? "male"
                                                            : "");
    facts.language("en");
    constexpr std::uint32_t kPerSecond = 100;
    recording.segments.push_back(
        {.key = keep(fmt::format("{}-{:07}-{:07}", talk, base::rounded_product(begin, kPerSecond),
                                 base::rounded_product(end, kPerSecond))),
         .text = keep(line),
         .facts = keep(facts.members()),
         .subsets = keep(split),
         .begin_seconds = begin,
         .end_seconds = end,
         .line = number});
  }

  std::string cut_by(std::string_view audio) const override { return stem_of(audio) + ".stm"; }

  std::string_view subset_of(std::string_view audio) const override {
    const auto link = splits_.find(stem_of(audio));
    if (link != splits_.end()) return link->second;
    return folder_among(audio, {"train", "dev", "test"});
  }

  std::unordered_map<std::string, std::string> splits_;  // of talks, by links to them
  bool has_talks_ = false;
  bool has_unsplit_talks_ = false;
};

}  // namespace

constinit const Corpus kTedLium{.prefix = "tedlium",
                                .name = "TED-LIUM",
                                .texts = "*.stm",
                                .audio = "*/sph/*.sph",
                                .needed = "stm/*.stm",
                                .in_archive = "*/sph/*.sph|*.stm|*/TEDLIUM_release*",
                                .splits = Splits::together,
                                .make = make_tree<TedLium>};

}  // namespace shardmill::source
