#include "shardmill/source/audio_folder.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardmill/source/audio_name.hpp"
#include "shardmill/source/corpus_text.hpp"

namespace shardmill::source {

namespace {

bool is_transcript(std::string_view name) {
  return has_extension(name, "txt");
}

/// Files that people put beside data.
bool is_remark(std::string_view name) {
  const std::string_view stem = audio_name(name).stem;
  return stem == "README" || stem == "readme" || stem == "LICENSE" || stem == "license";
}

std::string read_transcript(const std::string& path, CorpusBuilder& builder) {
  CorpusText text(path, builder);
  std::string transcript;
  for (std::string_view line; text.next(line);) {
    if (!transcript.empty()) transcript += '\n';
    transcript += line;
  }
  return transcript;
}

}  // namespace

void read_audio_folder(const std::string& folder, CorpusBuilder& builder) {
  const std::vector<std::string> files = builder.search(folder, [](std::string_view name) {
    return is_audio_name(name) || (is_transcript(name) && !is_remark(name));
  });
  std::unordered_map<std::string_view, const std::string*> transcripts;  // that no audio was found for yet
  for (const std::string& file : files) {
    if (is_transcript(file)) transcripts.emplace(without_extension(file), &file);
  }
  const auto key_of = [&](const std::string& file) {
    std::string_view key = without_extension(file).substr(folder.size());
    return key.substr(key.find_first_not_of('/'));
  };
  std::unordered_map<std::string_view, std::string> texts;
  for (const std::string& file : files) {
    if (is_transcript(file)) continue;
    CorpusBuilder::Utterance utterance{.key = key_of(file)};
    const std::string_view name = without_extension(file);
    if (auto transcript = transcripts.extract(name)) {
      texts.emplace(name, read_transcript(*transcript.mapped(), builder));
    }
    if (const auto text = texts.find(name); text != texts.end()) utterance.text = text->second;
    builder.utterance(builder.recording(SourceKind::recording, file), utterance);
  }
  for (const std::string& file : files) {
    if (!transcripts.contains(without_extension(file)) || !is_transcript(file)) continue;
    builder.unusable(Unusable::What::audio, key_of(file),
                     Error("is a transcript, but there is no audio of that name", at(file)));
  }
}

}  // namespace shardmill::source
