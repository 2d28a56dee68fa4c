// GivenFiles: files that are given as sources, or are in folders that are: shards, archives of corpora as
// they were downloaded, and Parquet files, with their columns and the subset that their names mean.
// MD5 lists: what publishers put beside their archives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "source/corpora.hpp"
#include "source/folders/downloads.hpp"
#include "source/set/source_set_builder.hpp"
#include "source/source_file.hpp"
#include "source/source_set.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// See shard::is_parquet(). Throws Error if it cannot be read.
bool is_parquet_file(const std::string& path);

/// "train" for train-00000-of-00012.parquet, "validation" for default/validation/0000.parquet; empty if the
/// path names no subset.
std::string subset_of_parquet(const std::string& path);

/// "train-00003-of-00012.parquet".
struct PartNumber {
  std::uint32_t number = 0;
  std::uint32_t parts = 0;
  std::size_t digits = 0;  // as the number is written
};

/// Which of the Parquet files and tars that are numbered as parts are there.
class NumberedParts {
 public:
  /// Ignores files of other kinds and without a number.
  void add(const std::string& path);
  /// One for each set of parts that is not complete.
  std::vector<Error> missing() const;
  /// One for each series of other files with a few gaps in its numbers.
  std::vector<Error> gaps() const;

 private:
  struct Set {
    std::size_t digits = 0;
    std::set<std::uint32_t> numbers{};

    void add(const PartNumber& part) {
      digits = numbers.empty() ? part.digits : std::min(digits, part.digits);
      numbers.insert(part.number);
    }
  };

  /// The path before the number, the extension (".tar.gz"), and how many parts there are.
  using Name = std::tuple<std::string, std::string, std::uint32_t>;

  std::map<Name, Set> sets_;
  std::map<std::pair<std::string, std::string>, Set>
      series_;  // by the path before the number, and the extension
};

/// Throws Error, with the place, for a file without audio or with a damaged footer, and if it has no column
/// for the text that the options name.
ParquetRows look_into_parquet(const std::string& path, const TreeOptions& options);

/// Adds them to the source that `set` is at.
class GivenFiles {
 public:
  /// Both must outlive it.
  GivenFiles(const FindOptions& options, SourceSetBuilder& set) : options_(options), set_(set) {}

  bool is_needed(const std::string& path) const { return !options_.needed || options_.needed(path); }

  /// A file that the list and line `named_at` names; empty: none does.
  void add_file(const std::string& path, const std::string& named_at);
  /// Files of one folder or pattern, which is `given`. Where they are archives of a corpus, those without
  /// audio may hold the texts of the others.
  void add_together(const std::vector<std::string>& paths, const std::string& given);
  /// `others`: archives without audio, which lie beside them.
  void add_archives(const Corpus& corpus, const std::vector<std::string>& archives,
                    const std::vector<std::string>& others);
  /// An archive as it was downloaded.
  void add_archive(const Corpus& corpus, const std::string& path, SourceFile&& file);
  /// An archive of audio, whose samples are known from elsewhere.
  void add_audio_archive(const std::string& path, ArchivedTree tree);
  /// All Parquet files of `folder` and its subfolders, or one file. Throws Error if it finds no file.
  void add_parquet(const std::string& path);
  /// Call it after the last file of a source. Throws Error if files were left out because of their subsets,
  /// and none is left.
  void check_subsets(const std::string& given);
  /// Archives with the texts of the other archives of the dataset. Adds them once.
  void add_texts(const Corpus& corpus, const std::vector<std::string>& archives);

 private:
  void add_file(const std::string& path, const std::string& named_at, const Corpus* corpus);
  void add_rows(SourceFile&& file);
  void add_shard(SourceFile&& file);
  void add_wanted(SourceFile&& file);
  SharedTexts texts_in(const Corpus& corpus, const std::vector<std::string>& archives);
  void set_md5(const std::string& path, ArchivedTree& tree);
  void warn_of_md5_lists(const std::string& archive, bool has_no_md5);
  void note_unchecked_md5s(const std::string& shard);
  void warn_of_unchecked_md5s();
  const Corpus* corpus_in(const std::string& path);
  bool is_wanted_subset(const std::string& subset) const;
  void check_parts(const std::string& given);

  const FindOptions& options_;
  SourceSetBuilder& set_;
  std::map<std::string, SharedTexts> shared_texts_;  // those in archives without audio, by dataset
  std::set<std::string> lists_warned_of_;
  std::set<std::string> lists_seen_;          // beside shards
  std::vector<std::string> unchecked_lists_;  // of the source
  std::size_t plain_shards_ = 0;              // that were looked into
  bool has_archives_ = false;                 // that hold corpora
  bool has_warned_of_versions_ = false;
  std::string folder_{};                   // that holds the files at hand; empty: none
  std::set<std::string> other_subsets_{};  // of files of the source that are not wanted
  bool has_wanted_ = false;                // it has files that are
  NumberedParts parts_;                    // of the source
  bool are_listed_ = false;                // the files of the source, in a list
};

/// What ARCHIVE.md5, md5sum.txt, md5sums.txt and MD5SUMS beside the archive say of it, in small digits; empty
/// where none does. Throws Error where they give it two.
std::string md5_beside(const std::string& archive);

/// The same of each volume of an archive that was cut; empty where a list has none. Empty if no list has any.
std::vector<std::string> volume_md5s_beside(const std::string& archive);

/// Those of these lists that are there and in which no line holds an MD5.
std::vector<std::string> lists_without_md5(const std::string& archive);

/// All of these lists, whether they are there or not.
std::vector<std::string> md5_lists_beside(const std::string& archive);

/// True if the list is there, and a line holds an MD5.
bool holds_md5(const std::string& list);

/// True for 32 hexadecimal digits.
bool is_md5(std::string_view text);

}  // namespace shardmill::source
