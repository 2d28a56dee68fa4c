#include "source/corpora/aishell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/io/folder.hpp"
#include "source/folders/folder_tree.hpp"
#include "source/folders/shard_search.hpp"
#include "source/names/audio_name.hpp"
#include "source/texts/id_table.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTranscriptPrefix = "aishell_transcript";

std::vector<std::string> transcripts_in(const std::string& root) {
  if (!base::is_folder(root + "/transcript")) return {};
  std::vector<std::string> found;
  for (const fs::path& entry : base::entries(root + "/transcript")) {
    if (entry.filename().string().starts_with(kTranscriptPrefix)) found.push_back(entry.string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// What is left of the transcripts once the audio of some has been found.
class Transcripts {
 public:
  Transcripts(const std::string& path, CorpusBuilder& builder) : table_(path, builder) {
    is_found_.resize(table_.rows().size());
  }

  const std::vector<IdTable::Row>& rows() const { return table_.rows(); }

  std::optional<std::string_view> take(std::string_view id) {
    const IdTable::Row* row = table_.find(id);
    if (row == nullptr) return std::nullopt;
    is_found_[static_cast<std::size_t>(row - table_.rows().data())] = true;
    return row->value;
  }

  void report_rest(CorpusBuilder& builder) const {
    for (std::size_t i = 0; i < is_found_.size(); ++i) {
      if (is_found_[i]) continue;
      const IdTable::Row& row = table_.rows()[i];
      builder.unusable(
          Unusable::What::audio, row.id,
          table_.at_row(row, fmt::format("'{}' has a transcript, but there is no such audio", row.id)));
    }
  }

 private:
  IdTable table_;
  std::vector<bool> is_found_;
};

class AishellReader {
 public:
  AishellReader(const std::string& root, const std::string& transcripts, CorpusBuilder& builder)
      : builder_(builder), wav_(root + "/wav"), transcripts_(transcripts, builder) {}

  void read() {
    read_speakers();
    for (const std::string& file : builder_.search(wav_, is_audio_name)) add_audio(file);
    transcripts_.report_rest(builder_);
  }

 private:
  void read_speakers() {
    const std::string table = aishell_speakers(fs::path(wav_).parent_path().string());
    if (!table.empty()) speakers_.emplace(table, builder_);
  }

  /// "F" and "M"; some lists have speakers without their S.
  std::string_view gender_of(std::string_view speaker) const {
    if (!speakers_) return {};
    if (const auto gender = speakers_->value(speaker)) return *gender;
    return speakers_->value(speaker.substr(speaker.starts_with('S') ? 1 : 0)).value_or("");
  }

  void add_audio(const std::string& file) {
    const fs::path speaker = fs::path(file).parent_path();
    const fs::path subset = speaker.parent_path();
    facts_.clear();
    facts_.text("speaker", speaker.filename().string())
        .text("gender", gender_of(speaker.filename().string()));
    if (subset != fs::path(wav_)) facts_.text("subset", subset.filename().string());
    const std::string_view id = audio_name(file).stem;
    builder_.utterance(builder_.recording(SourceKind::recording, file),
                       {.key = id, .text = transcripts_.take(id), .facts = facts_.members()});
  }

  CorpusBuilder& builder_;
  std::string wav_;
  Transcripts transcripts_;
  std::optional<IdTable> speakers_;
  Facts facts_;
};

/// Folders with a trans.txt, in the order of their bytes.
std::vector<std::string> parts_of(const std::string& folder, int levels) {
  if (base::exists(folder + "/trans.txt")) return {folder};
  std::vector<std::string> parts;
  if (levels == 0) return parts;
  std::vector<fs::path> inner = base::entries(folder);
  std::sort(inner.begin(), inner.end());
  for (const fs::path& entry : inner) {
    if (!base::is_folder(entry) || entry.filename().string().starts_with('.')) continue;
    for (std::string& part : parts_of(entry.string(), levels - 1)) parts.push_back(std::move(part));
  }
  return parts;
}

/// Keys and paths of the audio of one part.
struct NamedAudio {
  std::string key;
  std::string path;
};

std::vector<NamedAudio> audio_of_part(const std::string& part, CorpusBuilder& builder) {
  std::vector<NamedAudio> audio;
  if (base::exists(part + "/wav.scp")) {
    const IdTable wav_scp(part + "/wav.scp", builder);
    for (const IdTable::Row& row : wav_scp.rows()) {
      audio.push_back({std::string(row.id), (fs::path(part) / row.value).string()});
    }
  } else {
    for (const std::string& file : builder.search(part + "/wav", is_audio_name)) {
      audio.push_back({std::string(audio_name(file).stem), file});
    }
  }
  return audio;
}

void read_part(const std::string& part, CorpusBuilder& builder) {
  // As from an archive: see trees/aishell2.cpp.
  const std::string place = fs::absolute(part).lexically_normal().string() + "/trans.txt";
  const std::string_view device = folder_among(place, {"iOS", "Android", "Mic"});
  const std::string_view split = folder_among(place, {"dev", "test"});
  Transcripts transcripts(part + "/trans.txt", builder);
  Facts facts;
  for (const NamedAudio& audio : audio_of_part(part, builder)) {
    facts.clear();
    facts.text("speaker", fs::path(audio.path).parent_path().filename().string()).text("device", device);
    facts.text("subset", split.empty() ? "train" : split);
    builder.utterance(builder.recording(SourceKind::recording, audio.path),
                      {.key = audio.key, .text = transcripts.take(audio.key), .facts = facts.members()});
  }
  transcripts.report_rest(builder);
}

}  // namespace

bool has_packed_speakers(const std::string& folder) {
  const auto root = aishell_root(folder);
  return root && base::is_folder(*root + "/wav") && !files_below(*root + "/wav", has_archive_name).empty();
}

std::optional<std::string> aishell_root(const std::string& folder) {
  for (const std::string& root : {folder, folder + "/data_aishell"}) {
    if (!transcripts_in(root).empty()) return root;
  }
  return std::nullopt;
}

std::string aishell_speakers(const std::string& root) {
  const fs::path above = fs::absolute(root).lexically_normal().parent_path();
  for (const fs::path& folder :
       {fs::path(root), fs::path(root) / "resource_aishell", above / "resource_aishell"}) {
    std::string path = (folder / "speaker.info").string();
    if (base::exists(path)) return path;
  }
  return {};
}

void read_aishell(const std::string& folder, CorpusBuilder& builder) {
  const auto root = aishell_root(folder);
  if (!root) {
    throw UsageError(fmt::format("is not AISHELL-1: it holds no transcript/{}*", kTranscriptPrefix),
                     at(folder));
  }
  const std::vector<std::string> transcripts = transcripts_in(*root);
  if (transcripts.size() > 1) {
    throw Error(fmt::format("is a second transcript beside {}", transcripts[0]), at(transcripts[1]),
                "leave one of them there");
  }
  AishellReader(*root, transcripts[0], builder).read();
}

void read_aishell2(const std::string& folder, CorpusBuilder& builder) {
  constexpr int kLevels = 4;
  const std::vector<std::string> parts = parts_of(folder, kLevels);
  if (parts.empty()) throw UsageError("is not AISHELL-2: no trans.txt lies in it or below it", at(folder));
  for (const std::string& part : parts) read_part(part, builder);
}

}  // namespace shardmill::source
