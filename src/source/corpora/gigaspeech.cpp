// GigaSpeech: GigaSpeech.json, which lists long recordings and their segments, and audio/**/AID.opus; or
// clips.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/split.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

constexpr std::array<std::string_view, 4> kPunctuation{"<COMMA>", "<PERIOD>", "<QUESTIONMARK>",
                                                       "<EXCLAMATIONPOINT>"};
constexpr std::array<std::string_view, 4> kNoSpeech{"<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>"};

std::string without_punctuation(std::string_view text) {
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

/// What recipes make of a text_tn: without the words for punctuation, unless `keeps_tags`. nullopt for
/// music, noise or silence.
std::optional<std::string> transcript_of(std::string_view text_tn, bool keeps_tags) {
  if (std::any_of(kNoSpeech.begin(), kNoSpeech.end(),
                  [&](std::string_view tag) { return text_tn.find(tag) != text_tn.npos; }))
    return std::nullopt;
  return keeps_tags ? std::string(text_tn) : without_punctuation(text_tn);
}

/// The subsets that hold this part: "XL L M S" of "s". The smaller ones are in the larger ones.
std::string_view subsets_with(std::string_view part) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSubsets{{{"xs", "XL L M S XS"},
                                                                                   {"s", "XL L M S"},
                                                                                   {"m", "XL L M"},
                                                                                   {"l", "XL L"},
                                                                                   {"xl", "XL"},
                                                                                   {"dev", "DEV"},
                                                                                   {"test", "TEST"}}};
  for (const auto& [name, subsets] : kSubsets) {
    if (name == part) return subsets;
  }
  return part;
}

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

  /// "{XL}" is XL.
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
    const auto text = transcript_of(segment["text_tn"].text(), options().text_field == "text_tn");
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

/// As Hugging Face has it: audio/xs_files/xs_chunks_0000.tar.gz with a WAV for each segment, and
/// metadata/xs_metadata/xs_chunks_0000_metadata.csv, the table of these.
class GigaSpeechClips final : public TreeTable {
 public:
  explicit GigaSpeechClips(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ""}) {}

  /// "xs_chunks_0000" of the path of a table; empty for another file.
  static std::string_view chunk_of(std::string_view path) {
    constexpr std::string_view kEnd = "_metadata.csv";
    std::string_view name = path_part(path, 0);
    if (!name.ends_with(kEnd) || name.find("_chunks_") == name.npos) return {};
    name.remove_suffix(kEnd.size());
    return name;
  }

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return chunk_of(path).empty() ? Role::other : Role::text;
  }

  void read(const TreeText& text) override {
    const std::string_view chunk = chunk_of(text.path);
    const std::string_view subsets = subsets_with(chunk.substr(0, chunk.find('_')));
    for_each_csv_row(text, {"sid", "text_tn"}, [&](const CsvRow& fields) {
      const std::string id(fields["sid"]);
      const auto words = transcript_of(fields["text_tn"], options().text_field == "text_tn");
      if (!words) return void(silent_.insert(id));
      Row& row = add(id, *words, text, fields.line_number());
      for (const std::string_view subset : subset_names(subsets)) row.subsets.emplace_back(subset);
      // All published ones are "N/A", which would make them one speaker.
      if (fields["speaker"] != "N/A") row.speaker = fields["speaker"];
      row.facts.text("recording", fields["aid"]).language("en");
    });
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    if (silent_.contains(stem_of(audio))) return std::vector<TreeUtterance>{};
    return TreeTable::find(audio);
  }

  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const Row* row = find_row(key);
    return row != nullptr && chunk_of(place_of(*row)) == path_part(packed_name, 0);
  }

 private:
  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  std::unordered_set<std::string> silent_;  // segments that hold no speech
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

constinit const Corpus kGigaSpeech{
    .prefix = "gigaspeech",
    .name = "GigaSpeech",
    .texts = "*/GigaSpeech.json|*_chunks_[0-9]*_metadata.csv",
    .audio = "*/POD00000*.opus|*/YOU00000*.opus|*/AUD00000*.opus",
    .needed = "GigaSpeech.json",
    .in_archive =
        "*/GigaSpeech.json|*/audio/*/POD0000*.opus|*/audio/*/YOU0000*.opus|*/audio/*/"
        "AUD0000*.opus|*_chunks_[0-9]*/POD*_S[0-9]*.wav|*_chunks_[0-9]*/YOU*_S[0-9]*.wav|*_chunks_[0-9]*/"
        "AUD*_S[0-9]*.wav",
    .text_fields = "text|text_tn",
    .make = make_tree<GigaSpeech>};

}  // namespace shardmill::source
