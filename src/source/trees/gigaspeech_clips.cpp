#include "source/trees/gigaspeech_clips.hpp"

#include "source/names/audio_name.hpp"
#include "source/split.hpp"
#include "source/texts/csv_rows.hpp"
#include "source/trees/gigaspeech_text.hpp"

namespace shardmill::source {

std::string_view GigaSpeechClips::chunk_of(std::string_view path) {
  constexpr std::string_view kEnd = "_metadata.csv";
  std::string_view name = path_part(path, 0);
  if (!name.ends_with(kEnd) || name.find("_chunks_") == name.npos) return {};
  name.remove_suffix(kEnd.size());
  return name;
}

TreeCorpus::Role GigaSpeechClips::role(std::string_view path) const {
  if (is_audio_name(path)) return Role::audio;
  return chunk_of(path).empty() ? Role::other : Role::text;
}

void GigaSpeechClips::read(const TreeText& text) {
  const std::string_view chunk = chunk_of(text.path);
  const std::string_view subsets = gigaspeech_subsets(chunk.substr(0, chunk.find('_')));
  for_each_csv_row(text, {"sid", "text_tn"}, [&](const CsvRow& fields) {
    const std::string id(fields["sid"]);
    const auto words = gigaspeech_text(fields["text_tn"], options().text_field == "text_tn");
    if (!words) return void(silent_.insert(id));
    Row& row = add(id, *words, text, fields.line_number());
    for (const std::string_view subset : subset_names(subsets)) row.subsets.emplace_back(subset);
    // All published ones are "N/A", which would make them one speaker.
    if (fields["speaker"] != "N/A") row.speaker = fields["speaker"];
    row.facts.text("recording", fields["aid"]).language("en");
  });
}

std::optional<std::vector<TreeUtterance>> GigaSpeechClips::find(std::string_view audio) {
  if (silent_.contains(stem_of(audio))) return std::vector<TreeUtterance>{};
  return TreeTable::find(audio);
}

bool GigaSpeechClips::belongs_to(std::string_view key, std::string_view packed_name) const {
  const Row* row = find_row(key);
  return row != nullptr && chunk_of(place_of(*row)) == path_part(packed_name, 0);
}

}  // namespace shardmill::source
