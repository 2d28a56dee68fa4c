// GigaSpeech: GigaSpeech.json, which lists long recordings and their segments, and audio/**/AID.opus. Or
// clips: see gigaspeech_clips.hpp.
#include <fmt/format.h>

#include <unordered_map>

#include "source/names/audio_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_recordings.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/gigaspeech_clips.hpp"
#include "source/trees/gigaspeech_text.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

/// As its publisher has it: long recordings.
class GigaSpeechRecordings final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0) == "GigaSpeech.json" ? Role::text : Role::other;
  }
  /// The folders of the audio are downloaded as archives: podcast/P0001.tgz for audio/podcast/P0001.
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const auto folder = folders_.find(std::string(key));
    return folder != folders_.end() && folder->second == packed_name;
  }
  Above above(std::string_view name) const override {
    return name == "GigaSpeech.json" ? Above::transcripts : Above::no;
  }

  void read(const TreeText& text) override {
    for_each_json_element(text, "audios", [&](const base::JsonValue& audio) {
      Recording& recording = this->recording(audio["aid"].text(), text);
      const std::string of_recording = subsets_of(audio);
      if (const auto path = audio.find("path"))
        folders_.try_emplace(std::string(audio["aid"].text()),
                             fmt::format("{}/{}", path_part(path->text(), 2), path_part(path->text(), 1)));
      for (const base::JsonValue& segment : audio["segments"].elements()) {
        const std::string own = subsets_of(segment);
        add(recording, segment, own.empty() ? of_recording : own);
      }
    });
    set_read();
  }

 private:
  std::string cut_by(std::string_view) const override { return "entry in GigaSpeech.json"; }

  /// "{XL}" stands for XL.
  static std::string subsets_of(const base::JsonValue& value) {
    std::string subsets;
    const auto listed = value.find("subsets");
    if (!listed) return subsets;
    for (const base::JsonValue& subset : listed->elements()) {
      std::string_view name = subset.text();
      if (name.starts_with('{') && name.ends_with('}')) name = name.substr(1, name.size() - 2);
      subsets.append(subsets.empty() ? "" : " ").append(name);
    }
    return subsets;
  }

  void add(Recording& recording, const base::JsonValue& segment, const std::string& subsets) {
    const auto text = gigaspeech_text(segment["text_tn"].text(), options().text_field == "text_tn");
    if (!text) return;
    Facts facts;
    // All published ones are "N/A", which would make them one speaker.
    if (const auto speaker = segment.find("speaker");
        speaker && !speaker->is_null() && speaker->text() != "N/A")
      facts.text("speaker", speaker->text());
    facts.language("en");
    recording.segments.push_back({.key = keep(segment["sid"].text()),
                                  .text = keep(*text),
                                  .facts = keep(facts.members()),
                                  .subsets = keep(subsets),
                                  .begin_seconds = segment["begin_time"].number(),
                                  .end_seconds = segment["end_time"].number()});
  }

  std::unordered_map<std::string, std::string> folders_;  // of each recording
};

/// Either of the two forms.
class GigaSpeech final : public TreeCorpus {
 public:
  explicit GigaSpeech(const TreeOptions& options) : recordings_(options), clips_(options) {}

  Role role(std::string_view path) const override {
    return clips_.role(path) == Role::other ? recordings_.role(path) : clips_.role(path);
  }
  Packed packed() const override { return Packed::by_name; }
  /// "podcast/P0001": the sources number their folders alike.
  std::string packed_name(std::string_view path) const override {
    return fmt::format("{}/{}", path_part(path, 1), TreeCorpus::packed_name(path));
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    return clips_.belongs_to(key, packed_name) || recordings_.belongs_to(key, packed_name);
  }
  Above above(std::string_view name) const override { return recordings_.above(name); }

  void read(const TreeText& text) override {
    GigaSpeechClips::chunk_of(text.path).empty() ? recordings_.read(text) : clips_.read(text);
  }
  void all_read() override {
    TreeCorpus::all_read();
    recordings_.all_read();
    clips_.all_read();
  }
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    return is_clip(audio) ? clips_.find(audio) : recordings_.find(audio);
  }
  void report_rest(const Lose& lose) const override {
    recordings_.report_rest(lose);
    clips_.report_rest(lose);
  }

 private:
  /// "POD0000000001_S0000001", which is a segment, and not "POD0000000001".
  static bool is_clip(std::string_view audio) { return stem_of(audio).find("_S") != std::string::npos; }

  GigaSpeechRecordings recordings_;
  GigaSpeechClips clips_;
};

}  // namespace

TreeCorpusPtr make_gigaspeech(const TreeOptions& options) {
  check_text_field(options, {"text", "text_tn"});
  return std::make_unique<GigaSpeech>(options);
}

}  // namespace shardmill::source
