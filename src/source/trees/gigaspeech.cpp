// GigaSpeech: GigaSpeech.json, which lists long recordings and their segments, and audio/**/AID.opus.
#include <algorithm>
#include <array>

#include "source/names/audio_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_recordings.hpp"
#include "source/texts/tree_table.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 4> kPunctuation{"<COMMA>", "<PERIOD>", "<QUESTIONMARK>",
                                                       "<EXCLAMATIONPOINT>"};
constexpr std::array<std::string_view, 4> kNoSpeech{"<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>"};

class GigaSpeech final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0) == "GigaSpeech.json" ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    return name == "GigaSpeech.json" ? Above::transcripts : Above::no;
  }

  void read(const TreeText& text) override {
    for_each_json_element(text, "audios", [&](const base::JsonValue& audio) {
      Recording& recording = this->recording(audio["aid"].text(), text);
      const std::string of_recording = subsets_of(audio);
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
    std::string text(segment["text_tn"].text());
    const bool wants_raw = options().text_field == "text_tn";
    // Recipes leave out what holds no speech, and the words for punctuation.
    if (std::any_of(kNoSpeech.begin(), kNoSpeech.end(),
                    [&](std::string_view tag) { return text.find(tag) != text.npos; }))
      return;
    if (!wants_raw) text = without_punctuation(text);
    Facts facts;
    // All published ones are "N/A", which would make them one speaker.
    if (const auto speaker = segment.find("speaker");
        speaker && !speaker->is_null() && speaker->text() != "N/A")
      facts.text("speaker", speaker->text());
    facts.language("en");
    recording.segments.push_back({.key = keep(segment["sid"].text()),
                                  .text = keep(text),
                                  .facts = keep(facts.members()),
                                  .subsets = keep(subsets),
                                  .begin_seconds = segment["begin_time"].number(),
                                  .end_seconds = segment["end_time"].number()});
  }

  static std::string without_punctuation(std::string_view text) {
    std::string kept;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view word = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (word.empty() || std::find(kPunctuation.begin(), kPunctuation.end(), word) != kPunctuation.end())
        continue;
      kept.append(kept.empty() ? "" : " ").append(word);
    }
    return kept;
  }
};

}  // namespace

TreeCorpusPtr make_gigaspeech(const TreeOptions& options) {
  check_text_field(options, {"text", "text_tn"});
  return std::make_unique<GigaSpeech>(options);
}

}  // namespace shardmill::source
