// The kinds of raw corpora: told by prefix or by their shape, all read into the same form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

enum class CorpusKind { kaldi, wenet, librispeech, aishell, aishell2, nemo, audio_folder };

/// "kaldi" for what stands before the colon of a source; nullopt for no such kind.
std::optional<CorpusKind> corpus_kind_by_name(std::string_view name);
std::string_view name(CorpusKind kind);
/// A folder, or else a text file.
bool takes_folder(CorpusKind kind);

/// What lies in a folder and below.
struct FolderContents {
  std::vector<std::string> shards;
  std::optional<CorpusKind> corpus;  // by its shape
};
FolderContents look_into(const std::string& folder);

/// By the first line of a text file; nullopt when it is no raw corpus.
std::optional<CorpusKind> corpus_kind_of_file(const std::string& path);

struct CorpusOptions {
  bool allow_commands = false;  // in wav.scp
};

/// Throws UsageError when `path` is no corpus of that kind, and Error, with file, line and column, for what
/// makes all of it unusable; what makes one utterance unusable is among the result.
CorpusFiles read_corpus(CorpusKind kind, const std::string& path, const CorpusOptions& options);

}  // namespace shardmill::source
