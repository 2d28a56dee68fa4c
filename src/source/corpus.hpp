// Corpus: everything that the program knows of one raw corpus. Each has a source of its own in corpora/ and a
// line in corpora/list.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/json_reader.hpp"
#include "source/corpus_builder.hpp"
#include "source/split.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// Whether an archive of the publisher holds several of train, dev and test.
enum class Splits {
  none,      // the publisher has no splits: all of it is train
  apart,     // no archive holds several, or it is unknown
  together,  // an archive holds all; with `--subset all`, it does not matter which split a sample is in
  in_tables  // the same, but each split has a table that lists its samples: none may be missing, even then
};

struct CorpusOptions {
  bool allow_commands = false;  // in wav.scp
  TreeOptions tree{};
};

/// The place of a corpus in a folder that may hold other corpora, too. Paths are below that folder.
struct CorpusPlace {
  std::string folder;
  std::optional<std::string> claimed{};  // the folder whose audio belongs to it
  bool claims_shards = true;             // and whose shards do, too
};

/// Patterns are those of the shell, for whole paths, with | between several.
struct Corpus {
  /// In front of a source: "librispeech". Empty for a corpus that is recognised, but cannot be read.
  std::string_view prefix{};
  std::string_view name{};  // "LibriSpeech"

  // How a folder is recognised. The first corpus of the list that fits is taken.

  std::string_view texts{};  // files with the transcripts
  std::string_view
      beside_texts{};         // one file must match it before `texts` are enough; empty: none need be there
  std::string_view audio{};   // files that no other corpus has; empty: it has no such names
  std::string_view needed{};  // the transcripts in words: "transcripts.txt"
  std::string_view splits_table{};  // `needed`, where the transcripts may also lie beside the audio
  /// The end of a text's name that other corpora use, too. It decides when nothing else fits.
  std::string_view shared_ending{};
  /// Whether files in the folder itself decide. Asked before its subfolders are searched; null: they never
  /// do.
  bool (*is_in)(const std::string& folder) = nullptr;
  bool takes_any_audio = false;  // it is a folder of audio that belongs to no other corpus
  /// Where a file of a folder that may hold several corpora says that this one lies; null: no file says that.
  /// `has` knows which files there are. Paths are below that folder.
  std::optional<CorpusPlace> (*place_by)(const std::string& file,
                                         const std::function<bool(const std::string& file)>& has) = nullptr;
  bool is_one_folder = false;  // one of its folders is read, and nothing beside it: two are two sources

  // How other sources are recognised.

  std::string_view
      in_archive{};  // names of files in an archive, with a slash in front: one that fits is enough
  bool has_text_beside = false;  // of each audio file, as shards have
  /// Of `texts` that may have any name, for a message: by their first line. Null: they have none.
  bool (*fits_text)(const base::JsonValue& first) = nullptr;
  bool (*fits_line)(const base::JsonValue& first) = nullptr;  // of a list: by its first line

  bool (*fits_table)(const std::string& path) = nullptr;  // of a list that no first line of JSON decides

  // What it holds, and how it is read.

  std::string_view text_fields{};  // names of its texts, with | between them, the usual one first
  bool is_textless = false;        // its publisher has no transcripts: it is for telling speakers apart
  FactTeller speakers{};           // the file that adds a fact about speakers
  Splits splits = Splits::apart;
  /// Of archives in its folder that it reads itself; null: it has none.
  bool (*owns_archive)(const std::string& path) = nullptr;
  bool is_folder = true;     // or else a text file
  bool may_be_file = false;  // of a folder: a text file will do as well
  /// Makes its reader; null: its audio and texts are no tree, and it is no archive either.
  std::unique_ptr<TreeCorpus> (*make)(const TreeOptions& options) = nullptr;
  /// Reads it from a folder or a file; null: read_tree() does.
  void (*read)(const std::string& path, const CorpusOptions& options, CorpusBuilder& builder) = nullptr;

  bool is_read() const { return !prefix.empty(); }
  /// It may also be read from an archive.
  bool is_tree() const { return make != nullptr; }
};

/// For Corpus::make.
template <typename Reader>
std::unique_ptr<TreeCorpus> make_tree(const TreeOptions& options) {
  return std::make_unique<Reader>(options);
}

}  // namespace shardmill::source
