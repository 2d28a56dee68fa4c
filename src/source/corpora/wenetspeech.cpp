// WenetSpeech: WenetSpeech.json, which lists long recordings and their segments, and audio/**/AID.opus.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class WenetSpeech final : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0) == "WenetSpeech.json" ? Role::text : Role::other;
  }
  Above above(std::string_view name) const override {
    return name == "WenetSpeech.json" ? Above::transcripts : Above::no;
  }

  void read(const TreeText& text) override {
    for_each_json_element(text, "audios", [&](const base::JsonValue& audio) {
      Recording& recording = this->recording(audio["aid"].text(), text);
      for (const base::JsonValue& segment : audio["segments"].elements()) add(recording, segment);
    });
    set_read();
  }

 private:
  std::string cut_by(std::string_view) const override { return "entry in WenetSpeech.json"; }

  void add(Recording& recording, const base::JsonValue& segment) {
    std::string subsets;
    if (const auto listed = segment.find("subsets")) {
      for (const base::JsonValue& subset : listed->elements())
        subsets.append(subsets.empty() ? "" : " ").append(subset.text());
    }
    Facts facts;
    facts.language("zh");
    if (const auto confidence = segment.find("confidence")) facts.json("confidence", confidence->line());
    recording.segments.push_back({.key = keep(segment["sid"].text()),
                                  .text = keep(segment["text"].text()),
                                  .facts = keep(facts.members()),
                                  .subsets = keep(subsets),
                                  .begin_seconds = segment["begin_time"].number(),
                                  .end_seconds = segment["end_time"].number()});
  }
};

}  // namespace

constinit const Corpus kWenetSpeech{.prefix = "wenetspeech",
                                    .name = "WenetSpeech",
                                    .texts = "*/WenetSpeech.json",
                                    .audio = "*/[XY]00000*_*.opus",
                                    .needed = "WenetSpeech.json",
                                    .in_archive = "*/WenetSpeech.json|*/audio/*/[XY]0000*_*.opus",
                                    .text_fields = "text",
                                    .make = make_tree<WenetSpeech>};

}  // namespace shardmill::source
