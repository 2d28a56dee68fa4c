// Known corpora: what a folder of audio without transcripts is, told by what lies in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/corpora.hpp"

namespace shardmill::source {

struct FolderGuess {
  std::string contents;  // "6 .wav files, metadata.csv and README"; empty where nothing lies there
  std::string corpus;    // "LJSpeech"; empty: it looks like none that is known
  /// What its transcripts are in, when that is not there: "transcript/aishell_transcript_v0.8.txt".
  std::string missing;
  bool is_read = false;  // shardmill reads this corpus, when it is complete
  std::string prefix{};  // with which it does: "ljspeech"
  std::string texts{};   // one of its transcripts, where they lie above or beside what was given
};

/// Looks at the names of all files in `path` and below, or beside it when it is a file, and where they say
/// too little also into the folders above. Throws Error when a folder cannot be read.
FolderGuess guess_folder(const std::string& path);

/// A corpus that is read as a tree, by its transcripts, where they lie in `folder` or below it. Corpora that
/// are told by other means, as LibriSpeech, are left out.
std::optional<CorpusKind> corpus_by_texts(const std::string& folder);

/// The same of an archive, by the names in it.
FolderGuess guess_archive(const std::string& path);

/// The corpus that a file in an archive belongs to, by its name alone; nullopt where that says too little.
std::optional<CorpusKind> corpus_by_name(const std::string& name);

}  // namespace shardmill::source
