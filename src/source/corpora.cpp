#include "source/corpora.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "source/audio_name.hpp"
#include "source/corpora/aishell.hpp"
#include "source/corpora/audio_folder.hpp"
#include "source/corpora/kaldi.hpp"
#include "source/corpora/librispeech.hpp"
#include "source/corpora/nemo_manifest.hpp"
#include "source/corpora/wenet_list.hpp"
#include "source/folder_tree.hpp"
#include "source/shard_search.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

struct Kind {
  CorpusKind kind;
  std::string_view name;
  bool is_folder;
};

constexpr std::array<Kind, 7> kKinds{{{CorpusKind::kaldi, "kaldi", true},
                                      {CorpusKind::wenet, "wenet", false},
                                      {CorpusKind::librispeech, "librispeech", true},
                                      {CorpusKind::aishell, "aishell", true},
                                      {CorpusKind::aishell2, "aishell2", true},
                                      {CorpusKind::nemo, "nemo", false},
                                      {CorpusKind::audio_folder, "audio", true}}};

const Kind& entry_of(CorpusKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& entry) { return entry.kind == kind; });
}

void read(CorpusKind kind, const std::string& path, const CorpusOptions& options, CorpusBuilder& builder) {
  switch (kind) {
    case CorpusKind::kaldi:
      return read_kaldi(path, options, builder);
    case CorpusKind::wenet:
      return read_wenet_list(path, builder);
    case CorpusKind::librispeech:
      return read_librispeech(path, builder);
    case CorpusKind::aishell:
      return read_aishell(path, builder);
    case CorpusKind::aishell2:
      return read_aishell2(path, builder);
    case CorpusKind::nemo:
      return read_nemo_manifest(path, builder);
    case CorpusKind::audio_folder:
      return read_audio_folder(path, builder);
  }
}

/// Names that were seen while a folder was searched.
struct Seen {
  bool audio = false;
  bool chapters = false;  // LibriSpeech's *.trans.txt
  bool parts = false;     // AISHELL-2's trans.txt
};

std::optional<CorpusKind> shape(const std::string& folder, const Seen& seen) {
  if (base::exists(folder + "/wav.scp")) {
    const bool is_aishell2 = base::exists(folder + "/trans.txt") && !base::exists(folder + "/text");
    return is_aishell2 ? CorpusKind::aishell2 : CorpusKind::kaldi;
  }
  if (seen.chapters) return CorpusKind::librispeech;
  if (seen.parts) return CorpusKind::aishell2;
  if (seen.audio) return CorpusKind::audio_folder;
  return std::nullopt;
}

}  // namespace

std::optional<CorpusKind> corpus_kind_by_name(std::string_view name) {
  for (const Kind& entry : kKinds) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::string_view name(CorpusKind kind) {
  return entry_of(kind).name;
}

bool takes_folder(CorpusKind kind) {
  return entry_of(kind).is_folder;
}

FolderContents look_into(const std::string& folder) {
  // Its speakers may still be packed: these shards are part of the corpus.
  if (aishell_root(folder)) return {.shards = {}, .corpus = CorpusKind::aishell};
  FolderContents contents;
  Seen seen;
  contents.shards = files_below(folder, [&](std::string_view name) {
    seen.audio = seen.audio || is_audio_name(name);
    seen.chapters = seen.chapters || name.ends_with(".trans.txt");
    seen.parts = seen.parts || name == "trans.txt";
    return has_shard_name(name);
  });
  contents.corpus = shape(folder, seen);
  return contents;
}

std::optional<CorpusKind> corpus_kind_of_file(const std::string& path) {
  base::LineReader lines(path);
  std::string_view line;
  while (lines.next(line) && line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  try {
    base::JsonParser parser;
    const base::JsonValue value = parser.parse(line);
    if (!value.is_object()) return std::nullopt;
    if (value.find("key") && value.find("wav")) return CorpusKind::wenet;
    if (value.find("audio_filepath")) return CorpusKind::nemo;
  } catch (const Error&) {
    // Not JSON: something else may be able to read it.
  }
  return std::nullopt;
}

CorpusFiles read_corpus(CorpusKind kind, const std::string& path, const CorpusOptions& options) {
  const Kind& entry = entry_of(kind);
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw Error("cannot find this source: " + failure.message(), at(path));
  if (fs::is_directory(status) != entry.is_folder) {
    throw UsageError(fmt::format("is a {}, but '{}:' takes a {}", entry.is_folder ? "file" : "folder",
                                 entry.name, entry.is_folder ? "folder" : "file"),
                     at(path));
  }
  CorpusBuilder builder;
  read(kind, path, options, builder);
  CorpusFiles files = builder.take();
  if (files.audio.empty() && files.unusable.empty()) throw Error("holds no audio", at(path));
  return files;
}

}  // namespace shardmill::source
