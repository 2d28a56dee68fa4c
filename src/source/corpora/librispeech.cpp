#include "source/corpora/librispeech.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "source/audio_name.hpp"
#include "source/corpora/corpus_text.hpp"
#include "source/corpora/id_table.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// Of "SPEAKER-CHAPTER-NUMBER".
struct IdParts {
  std::string_view speaker;
  std::string_view chapter;
};

IdParts parts_of(std::string_view id) {
  const std::size_t first = id.find('-');
  const std::size_t last = id.rfind('-');
  if (first == last) return {};
  return {id.substr(0, first), id.substr(first + 1, last - first - 1)};
}

using GenderBySpeaker = std::unordered_map<std::string, std::string>;

/// SPEAKERS.TXT has lines like "14 | F | train-clean-360 | 25.03 | Kristin LeMoine"; only the first two
/// fields are looked at.
GenderBySpeaker read_genders(const fs::path& folder, CorpusBuilder& builder) {
  constexpr int kLevels = 4;
  GenderBySpeaker genders;
  std::vector<fs::path> places{folder / "LibriSpeech"};
  for (fs::path above = folder; places.size() <= kLevels; above = above.parent_path())
    places.push_back(above);
  for (const fs::path& place : places) {
    const std::string path = (place / "SPEAKERS.TXT").string();
    if (!base::exists(path)) continue;
    builder.description(path);
    base::LineReader lines(path);
    for (std::string_view line; lines.next(line);) {
      const std::string_view speaker = take_field(line);
      if (take_field(line) != "|") continue;
      const std::string_view gender = take_field(line);
      if (gender == "F" || gender == "M") genders.emplace(speaker, gender);
    }
    break;
  }
  return genders;
}

class LibrispeechReader {
 public:
  LibrispeechReader(const std::string& folder, CorpusBuilder& builder)
      : builder_(builder), genders_(read_genders(fs::path(base::canonical(folder)), builder)) {}

  /// `files`: all audio and transcripts in one folder.
  void read_folder(std::span<const std::string> files) {
    chapter_ = fs::absolute(files.front()).lexically_normal().parent_path();
    std::vector<IdTable> tables;
    for (const std::string& file : files) {
      if (is_transcript(file)) tables.emplace_back(file, builder_);
    }
    std::unordered_set<std::string_view> found;
    for (const std::string& file : files) {
      if (is_transcript(file)) continue;
      const AudioName name = audio_name(file);
      found.insert(name.stem);
      add(file, name.stem, tables);
    }
    for (const IdTable& table : tables) {
      for (const IdTable::Row& row : table.rows()) {
        if (found.contains(row.id)) continue;
        builder_.unusable(
            Unusable::What::audio, row.id,
            table.at_row(row, fmt::format("'{}' has a transcript, but there is no such audio", row.id)));
      }
    }
  }

 private:
  static bool is_transcript(std::string_view path) { return path.ends_with(".trans.txt"); }

  void add(const std::string& file, std::string_view id, const std::vector<IdTable>& tables) {
    CorpusBuilder::Utterance utterance{.key = id};
    for (const IdTable& table : tables) {
      if (!utterance.text) utterance.text = table.value(id);
    }
    const IdParts parts = parts_of(id);
    facts_.clear();
    facts_.text("speaker", parts.speaker).text("chapter", parts.chapter).text("subset", subset_of(parts));
    if (const auto gender = genders_.find(std::string(parts.speaker)); gender != genders_.end()) {
      facts_.text("gender", gender->second);
    }
    utterance.facts = facts_.members();
    builder_.utterance(builder_.recording(SourceKind::recording, file), utterance);
  }

  /// The folder above SPEAKER/CHAPTER, when the files lie in such folders.
  std::string subset_of(const IdParts& parts) const {
    const fs::path speaker = chapter_.parent_path();
    const bool in_place = chapter_.filename() == parts.chapter && speaker.filename() == parts.speaker;
    return in_place ? speaker.parent_path().filename().string() : std::string();
  }

  CorpusBuilder& builder_;
  GenderBySpeaker genders_;
  fs::path chapter_;  // the folder that is being read
  Facts facts_;
};

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

void read_librispeech(const std::string& folder, CorpusBuilder& builder) {
  const std::vector<std::string> files = builder.search(
      folder, [](std::string_view name) { return is_audio_name(name) || name.ends_with(".trans.txt"); });
  LibrispeechReader reader(folder, builder);
  for (std::size_t begin = 0; begin < files.size();) {
    std::size_t end = begin;
    while (end < files.size() && folder_of(files[end]) == folder_of(files[begin])) ++end;
    reader.read_folder(std::span(files).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace shardmill::source
