// FolderGuess: what a folder of audio without transcripts is, by the names of the files in it.
#pragma once

#include <string>

namespace shardmill::source {

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
