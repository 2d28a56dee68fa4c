// YODAS2: data/en000/text/00000000.json, an array of recordings and their captions, and the recordings in
// data/en000/audio/00000000.tar.gz, VIDEO.wav.
#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"
#include "source/texts/yodas_place.hpp"

namespace shardmill::source {

namespace {

class Yodas2 final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 1) == "text" && path.ends_with(".json") ? Role::text : Role::other;
  }
  Packed packed() const override { return Packed::anyhow; }
  std::string packed_name(std::string_view path) const override { return YodasPlace(path).part(); }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const auto part = parts_.find(std::string(key));
    return part == parts_.end() || part->second == packed_name;
  }

  void read(const TreeText& text) override {
    const YodasPlace place(text.path);
    Facts facts;
    place.tell(facts);
    for_each_json_element(text, {}, [&](const base::JsonValue& video) {
      const auto named = find_known(video, "audio_id");
      const std::string_view name = (named ? *named : video["video_id"]).text();
      const std::string id = fmt::format("{}/{}", place.folder, name);
      if (const auto known = parts_.find(id); known != parts_.end())
        throw Error(fmt::format("'{}' is in {} already", printable(id), printable(known->second)));
      parts_.emplace(id, place.part());
      const auto listed = find_known(video, "utterances");
      // Without captions, it is a recording that nothing cuts.
      if (listed ? listed->elements().empty() : video["text"].members().empty()) return;
      Recording& recording = this->recording(id, text);
      Facts own = facts;
      own.text("recording", name);
      const Segment common{
          .key = {}, .text = {}, .facts = keep(own.members()), .subsets = keep(place.folder)};
      if (listed) {
        for (const base::JsonValue& each : listed->elements())
          add(recording, common, each["utt_id"].text(), each["text"].text(), each["start"].number(),
              each["end"].number());
      } else {
        for (const auto& [utterance, words] : video["text"].members()) {
          const auto [begin, end] = times_in(utterance);
          add(recording, common, utterance, words.text(), begin, end);
        }
      }
    });
  }

 private:
  void add(Recording& recording, const Segment& common, std::string_view id, std::string_view words,
           double begin, double end) {
    Segment segment = common;
    segment.key = keep(id);
    segment.text = keep(base::trimmed(words));
    segment.begin_seconds = begin;
    segment.end_seconds = end;
    recording.segments.push_back(segment);
  }

  /// Of "VIDEO-00001-00000123-00000456", in hundredths of a second.
  static std::pair<double, double> times_in(std::string_view id) {
    const std::size_t second = id.rfind('-');
    const std::size_t first = second == id.npos ? id.npos : id.substr(0, second).rfind('-');
    if (first == id.npos) throw Error(fmt::format("'{}' does not end with two times", printable(id)));
    return {time_in(id, id.substr(first + 1, second - first - 1)), time_in(id, id.substr(second + 1))};
  }
  static double time_in(std::string_view id, std::string_view digits) {
    constexpr double kInSecond = 100;
    std::uint32_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto [read, problem] = std::from_chars(digits.data(), end, value);
    if (problem != std::errc() || read != end)
      throw Error(fmt::format("'{}' does not end with two times", printable(id)));
    return value / kInSecond;
  }

  /// A video may have captions in several languages.
  std::string id_of(std::string_view audio) const override {
    return YodasPlace(audio).folder + "/" + stem_of(audio);
  }
  std::string cut_by(std::string_view audio) const override {
    const YodasPlace place(audio);
    return fmt::format("entry with captions in {}text/*.json",
                       place.folder.empty() ? "" : place.folder + "/");
  }

  std::unordered_map<std::string, std::string> parts_;  // of each recording
};

}  // namespace

constinit const Corpus kYodas2{
    .prefix = "yodas2",
    .name = "YODAS2",
    .texts = "*/[a-z]*[0-9][0-9][0-9]/text/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].json",
    .beside_texts =
        "*/[a-z]*[0-9][0-9][0-9]/audio/*.tar.gz|*/[a-z]*[0-9][0-9][0-9]/audio/*.wav|*/"
        "[a-z]*[0-9][0-9][0-9]/audio/*.flac",
    .audio = "*/[a-z]*[0-9][0-9][0-9]/audio/*.wav|*/[a-z]*[0-9][0-9][0-9]/audio/*.flac",
    .needed = "text/*.json",
    .in_archive =
        "*/[a-z]*[0-9][0-9][0-9]/text/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].json|*/[a-z]*[0-9][0-9][0-9]/"
        "audio/*.wav",
    .splits = Splits::none,
    .make = make_tree<Yodas2>};

}  // namespace shardmill::source
