// SourceFile: one file that samples come from, and what a corpus says of the audio in it.
// What a source names and does not have, or has and cannot read, as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/text_arena.hpp"
#include "manifest/sample_record.hpp"
#include "shard/keys.hpp"

namespace shardmill::source {

/// What a corpus says of one utterance.
struct CorpusUtterance {
  static constexpr double kToTheEnd = std::numeric_limits<double>::infinity();

  std::string_view key;
  std::string_view text;
  bool has_text = false;
  std::string_view facts;    // more members of its manifest line, as JSON: "speaker":"S1","lang":"zh"
  double begin_seconds = 0;  // of the part of the recording that it is
  double end_seconds = kToTheEnd;
  double seconds = 0;                      // as the corpus has it, for estimates; 0: it does not say
  std::optional<std::uint64_t> channel{};  // of a recording with several, from 0; none: all of them
  /// The sample is the first `seconds` of the recording, even if that is longer.
  bool keeps_to_seconds = false;
  /// The length of the whole recording as the corpus has it, for a warning; 0: it does not say.
  double recording_seconds = 0;
  std::size_t recording_channels = 0;  // the same
  /// The recording is 16-bit little-endian mono PCM without a header, at this rate; 0: it has a header.
  std::uint32_t headerless_hz = 0;
  std::string_view text_doubt{};  // the name of a warning about its text, or empty
  std::string_view named_in{};    // the row of a table that its times are from; empty: unknown

  bool is_whole() const noexcept { return begin_seconds == 0 && end_seconds == kToTheEnd && !channel; }
};

/// The utterances of a corpus and their texts; shared by its source files, never changed.
struct CorpusUtterances {
  std::string name{};  // of one that is read as its publisher packs it: "librispeech"; empty for others
  base::TextArena texts;
  std::vector<CorpusUtterance> utterances;
};

/// The utterances of a recording, which are read when its turn comes, because there may be very many of all.
class LateUtterances {
 public:
  LateUtterances() = default;
  LateUtterances(const LateUtterances&) = delete;
  LateUtterances& operator=(const LateUtterances&) = delete;
  virtual ~LateUtterances() = default;

  /// By their beginnings; at least one. Any thread may call it.
  virtual std::shared_ptr<const CorpusUtterances> read() const = 0;

  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;
  double seconds = 0;     // as the corpus has it, as far as it does
  bool is_whole = false;  // the recording is one utterance
};

enum class SourceKind {
  shard,      // a tar file, compressed or not
  recording,  // one audio file: a sample, or several that are parts of it
  command     // a shell command that writes an audio file to its standard output
};

/// What the records of a finished dataset say of one of its shards.
struct DatasetShard {
  std::string manifest;         // the file
  std::string manifest_sha256;  // as it should be
  manifest::ShardRecord record;
  std::string dataset{};  // the name that the user gave to all of it; empty: samples keep theirs
};

class TreeCorpus;

/// An archive as it was downloaded, whose files are read as a tree.
struct ArchivedTree {
  std::string corpus;                                  // "librispeech"
  std::function<std::shared_ptr<TreeCorpus>()> begin;  // a new one, which knows nothing yet
  std::vector<std::string> subsets{};                  // those that are wanted; none: all
  std::string folder{};           // what the paths in it are below, with a slash at the end
  bool holds_all_splits = false;  // as it is published, its one archive holds training and test data
  bool is_part = false;           // the corpus knows its texts from elsewhere, and those of other parts, too
  std::string speaker{};          // of a part: whose audio it holds, see TreeCorpus::belongs_to()
  /// Keys of utterances that another archive may hold; null: none.
  std::shared_ptr<const shard::KeySet> promised{};
  std::string md5{};                       // of the file, as its publisher says; empty: unknown
  std::vector<std::string> volume_md5s{};  // of its volumes, each of them may be empty; none: all unknown
  bool is_late = false;                    // of a folder: the utterances of its recordings are LateUtterances
  /// Archives x.tar.gz that hold what the corpus knows as x/..., by normal_path(); null: none.
  std::shared_ptr<const std::set<std::string>> archives_as_folders{};
};

/// What the paths in `archive` are below, with a slash at the end. `path`: of the archive in the tree.
/// `as_folders`: see ArchivedTree.
std::string folder_of(const std::string& archive, std::string_view path,
                      const std::set<std::string>* as_folders);

/// What is known of a Parquet file, whose rows are read as a shard.
struct ParquetRows {
  std::string columns{};  // for messages: "text, speaker_id"
};

struct SourceFile {
  std::string path;  // or the command
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  SourceKind kind = SourceKind::shard;
  std::shared_ptr<const CorpusUtterances>
      corpus{};  // keeps `utterances` alive; null: the shard has its texts itself
  /// Of a recording: its utterances by their beginnings. Of a shard: those that may be in it, by their keys.
  std::span<const CorpusUtterance> utterances{};
  std::shared_ptr<const LateUtterances> late{};   // of a recording, instead of these two
  std::shared_ptr<const DatasetShard> listing{};  // of a shard of a finished dataset
  std::uint32_t given = 0;                        // number of its source among those that were given
  std::shared_ptr<const ArchivedTree> tree{};     // of an archive that is no shard, but holds a corpus
  std::optional<ParquetRows> parquet{};           // of a Parquet file
  std::string subset{};         // of a Parquet file or a shard, by its name or its folder's; empty: unknown
  bool has_no_version = false;  // of an object on a server: a change of it cannot be noticed
  bool only_listed = false;  // of a shard: samples that are not among `utterances` are no part of the corpus
};

enum class Empty { refused, allowed };

/// A regular file that may be read, or the Error that says why it is not. `named_at`: the list and line that
/// named it, if any.
std::pair<SourceFile, std::optional<Error>> look_up(const std::string& path, const std::string& named_at = {},
                                                    Empty empty = Empty::refused);

/// Where relative paths lead that a text file of a raw corpus names: from the working folder, as Kaldi, WeNet
/// and NeMo take them, or where nothing is found there, from the folder of the text file or the next one
/// above it. The first path that leads to a file decides for all.
class NamedPaths {
 public:
  explicit NamedPaths(std::string text_file) : text_file_(std::move(text_file)) {}

  std::string resolve(const std::string& path);
  /// A shell command with relative paths is run in the folder from which they lead to files.
  std::string resolve_command(const std::string& command);
  /// The first audio file that a pipe would read and that is not there; empty if all are, or may be.
  std::string missing_audio(const std::string& command) const;

 private:
  using Fits = std::function<bool(const std::filesystem::path& folder)>;

  std::optional<std::filesystem::path> first_folder(const Fits& fits) const;

  std::string text_file_;
  std::optional<std::filesystem::path> begin_;  // empty: the working folder; none: it is not known yet
};

/// Looks at no more than 64 files, evenly spaced, and takes the others to be compressed like them. The same
/// files always give the same answer. Throws Error when a file cannot be read.
std::uint64_t estimate_tar_bytes(const std::vector<SourceFile>& files);

struct Unusable {
  enum class What {
    file,       // a whole source file
    audio,      // of one utterance, or of all `samples` in one recording
    segment,    // of one utterance: its begin and end make no sense
    recording,  // its audio is there, but nothing says how to cut it
    unlisted,   // its audio is there, but no table lists it, and one of them should
    text,       // its audio is there, but the file that holds its transcript is damaged
    no_subset   // no table lists its audio, as happens in this corpus: it is unknown whether it is wanted
  };

  What what = What::file;
  std::string key{};  // of the utterance
  Error error;
  std::string dataset{};                   // known once the whole SourceSet is
  std::optional<std::uint64_t> samples{};  // that are lost with it, where that is known and not one
};

/// False where the corpus is whole without it.
inline bool is_loss(const Unusable& unusable) {
  return unusable.what != Unusable::What::no_subset;
}

/// Transcripts whose audio is not there: one, or all of a long recording.
struct LostAudio {
  std::string_view key;  // of the utterance or the recording
  Error error;
  std::uint64_t samples = 1;
};
using LoseUtterance = std::function<void(LostAudio lost)>;

/// What the tables of one corpus name.
struct Promise {
  std::string dataset;
  /// Calls back for all utterances; may leave out those that this process has found.
  std::function<void(const LoseUtterance& lose)> rest;
};

class Promises {
 public:
  /// `promises` must outlive it.
  explicit Promises(const std::vector<Promise>& promises) : promises_(promises) {}

  /// An utterance with this key was read. Any thread may call it.
  void meet(std::string_view key);
  /// The utterances that were not read, in the order in which the tables name them.
  void for_each_broken(const std::function<void(const Unusable& broken)>& use) const;

 private:
  const std::vector<Promise>& promises_;
  std::mutex mutex_;
  shard::KeySet met_;
};

}  // namespace shardmill::source
