// Detection: which corpus a folder, an archive or a list holds, by the rules of all corpora. FolderGuess:
// what a folder of audio without transcripts is, by the names of the files in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/corpora.hpp"

namespace shardmill::source {

/// What a folder and the folders below it hold.
struct FolderContents {
  std::vector<std::string> shards;
  const Corpus* corpus = nullptr;  // null: none that can be read
};
FolderContents look_into(const std::string& folder);

/// The corpus of a list, by its first line; null when it lists none.
const Corpus* corpus_of_list(const std::string& path);

/// The corpus in an archive, by the names of its first files; null for a shard, and for an unknown corpus.
/// Throws Error when the file cannot be read.
const Corpus* corpus_in_archive(const std::string& path);

/// The corpus of one file in an archive, by its name alone; null where the name says too little.
const Corpus* corpus_by_name(const std::string& name);

/// Throws Error where `folder` holds several corpora, finished datasets, or shards or audio beside a corpus
/// that are not read with it. Says what lies where, and how to give each as a source of its own. A folder
/// with a list of audio is one corpus: the list says what belongs to it.
void check_one_corpus(const std::string& folder);

/// `patterns`: of the shell, with | between them.
bool matches(std::string_view patterns, const std::string& path);
bool any_matches(std::string_view patterns, const std::vector<std::string>& paths);

/// The files in the folders above `folder`, where the rest of a corpus may be when only a part of it was
/// given.
std::vector<std::string> files_above(const std::string& folder);

struct FolderGuess {
  std::string contents;  // "6 .wav files, metadata.csv and README"; empty for an empty folder
  std::string corpus;    // "LJSpeech"; empty: no corpus that is known looks like it
  /// What its transcripts are in, when that is not there: "transcript/aishell_transcript_v0.8.txt".
  std::string missing;
  bool is_read = false;  // shardmill reads this corpus when it is complete
  std::string prefix{};  // and this is its prefix: "ljspeech"
  std::string texts{};   // one of its transcripts, if they are above or beside the given path
};

/// Looks at the names of all files in `path` and below, or beside it when it is a file, and where they say
/// too little also into the folders above. Throws Error when a folder cannot be read.
FolderGuess guess_folder(const std::string& path);

/// The same of an archive, by the names in it.
FolderGuess guess_archive(const std::string& path);

}  // namespace shardmill::source
