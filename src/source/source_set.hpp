// SourceSet: all files that samples will come from, by dataset, in an order that is the same in every run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "source/missing_text.hpp"
#include "source/source_file.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

struct SourceDataset {
  std::string name;
  std::vector<SourceFile> files;         // that samples come from
  std::vector<SourceFile> descriptions;  // the text files of raw corpora, the records of finished datasets
  /// Of a finished dataset: those it was made of, which its samples still belong to.
  std::vector<std::string> parts{};

  /// The datasets that its samples belong to.
  std::vector<std::string> dataset_names() const { return parts.empty() ? std::vector{name} : parts; }
};

/// One argument and its size.
struct GivenSource {
  std::string dataset;
  std::string path;  // as given, without the name
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct SourceSet {
  std::vector<SourceDataset> datasets;  // in the order in which they were first given
  std::vector<GivenSource> given;
  std::vector<std::string> folders;  // that were searched
  std::vector<Unusable> unusable;    // files that were found or listed, but cannot be read
  std::vector<Promise>
      promises;  // utterances that one of several archives should hold, and it is unknown which
  std::vector<Error> warnings;  // oddities that lose no samples

  /// A hash of the names and sizes of all files: tells whether a later run has the same inputs.
  base::Xxh128 digest() const;
};

/// What to do about a file that is listed but missing, empty, no regular file or unreadable, and about an
/// utterance without audio.
enum class OnUnusable { stop, collect };

/// A table whose rows name the samples: stretches of audio files.
struct LabelFile {
  std::string dataset;
  std::string path;
};

struct FindOptions {
  OnUnusable on_unusable = OnUnusable::stop;
  bool corpora = true;          // false: only shards will do, and those of a finished dataset are just shards
  bool allow_commands = false;  // in wav.scp
  /// Says of a key whether its utterance is wanted; where it is not, it may be unusable. None: all are
  /// wanted.
  std::function<bool(std::string_view key)> wanted{};
  /// True for the path of a shard or an archive that must be opened. Empty: all must be.
  std::function<bool(const std::string& path)> needed{};
  MissingText missing_text = MissingText::allowed;  // in raw corpora; shards are not opened here
  /// The MD5s of all archives that are read; empty: an archive is compared with the list beside it, if there
  /// is one.
  std::vector<std::string> md5s{};
  TreeOptions tree{};               // of corpora as their publishers pack them
  std::vector<LabelFile> labels{};  // of datasets whose sources are nothing but audio
  /// Whether an utterance without a transcript gets one from elsewhere. None: nothing gives any.
  std::function<bool(const std::string& dataset, std::string_view key)> has_other_text{};
  /// Whether anything may give texts to the utterances of a dataset. None: nothing does.
  std::function<bool(const std::string& dataset)> may_have_other_texts{};
  std::vector<TextlessTable> textless_tables{};
  bool is_trial = false;  // no run follows, which would tell what texts the tables lack
  /// Gets the errors of single sources; the result is then the rest. Null: they are thrown, all together.
  Faults* faults = nullptr;
};

/// Looks up each [NAME=]SOURCE argument: a shard, a folder of shards, a list, a shell pattern, a raw corpus
/// or a finished dataset.
///
/// The samples of a finished dataset keep the names of the datasets they belong to, and join others of the
/// same name. Where the user gives a NAME, it replaces all of these.
///
/// Sources with the same NAME make one dataset. Without a NAME, the dataset is called like the folder that
/// was given, the folder that holds the shard, the folder before a pattern's wildcards, or the list; shards
/// of one folder are one dataset, but two different places that come to the same name are an error.
///
/// Throws UsageError for arguments that make no sense, and Error for a source that does not exist or holds
/// no shard, for a file that comes twice in a dataset, for too many missing transcripts, and, with
/// OnUnusable::stop, for an unusable file.
SourceSet find_sources(const std::vector<std::string>& arguments, const FindOptions& options);

/// Throws UsageError when the output folder is, or lies in, a folder that was searched for sources: what is
/// written would be read again.
void check_not_searched(const std::string& output, const SourceSet& sources);
/// The same, and when the output folder holds a source itself: also one that a link, a hard link or a mount
/// shows under another path, since files of the output folder are replaced.
void check_output_folder(const std::string& output, const SourceSet& sources);

/// `problem` without what differs from one sample to the next: names in quotation marks, numbers, and
/// details.
std::string kind_of_problem(std::string_view problem);

/// What is unusable of a dataset and `wanted`: an Error for each kind of problem, which names the first and
/// counts the others.
std::vector<Error> unusable_by_kind(const std::vector<Unusable>& unusable, const std::string& dataset,
                                    const std::function<bool(std::string_view key)>& wanted);

/// The NAME of a source, or the name that it gets without one. Throws UsageError.
std::string dataset_name_of(const std::string& argument);

}  // namespace shardmill::source
