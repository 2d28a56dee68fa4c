// SourceSetBuilder: adds up sources to a SourceSet. No file comes twice in a dataset, and no two places are
// called the same by accident.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/corpus_builder.hpp"
#include "source/set/finished_dataset.hpp"
#include "source/source_set.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

/// What a source without a name is called, and the place that the name is from.
struct Place {
  std::string path;
  std::string name;
};

/// Called like the folder that it is.
Place folder_place(const std::string& folder);
/// The place of a source that is no pattern.
Place place_of(const SourceSpec& spec);

/// What becomes of audio that no table lists.
enum class Unlisted {
  lack_texts,     // it is a sample whose transcript is missing
  are_no_samples  // the table says what samples there are
};

class SourceSetBuilder {
 public:
  /// `options` must outlive it.
  explicit SourceSetBuilder(const FindOptions& options) : options_(options) {}

  /// What is added from here on belongs to this source. Throws UsageError when another place has its name.
  void begin_source(const SourceSpec& spec, const Place& place);

  /// Of the dataset that the source belongs to.
  const std::string& dataset_name() const { return set_.datasets[dataset_].name; }
  /// Throws Error for a file that the dataset has already.
  void add_file(SourceFile&& file);
  /// A raw corpus that was read from `path`.
  void add_corpus(const std::string& path, CorpusFiles&& corpus, Unlisted unlisted = Unlisted::lack_texts);
  /// Throws Error for a finished dataset that was added before.
  void add_dataset(const std::string& folder);
  void add_unusable(const Error& error);
  void add_bad_segment(const LostAudio& lost);
  /// Utterances whose audio lies in one of the archives, or nowhere.
  void add_promise(std::function<void(const LoseUtterance&)> rest);
  /// The same of a dataset, when all its files were added: known at once unless it has archives.
  void add_promise_of(const std::string& dataset, const std::function<void(const LoseUtterance&)>& rest);
  /// A file that says what the audio of others is.
  void add_description(SourceFile&& file) { dataset().descriptions.push_back(std::move(file)); }
  void add_warning(Error warning) { set_.warnings.push_back(std::move(warning)); }
  /// What is written there later would be taken for shards next time.
  void add_searched_folder(const std::string& folder) { set_.folders.push_back(folder); }

  /// The source that was begun last has an error: its gaps are not reported again.
  void note_failure() { failed_.insert(dataset_); }
  /// Problems that the options do not allow become faults: missing transcripts, unreadable files, and a
  /// dataset without a usable file.
  SourceSet take(Faults& faults);

 private:
  using Identity = std::pair<dev_t, ino_t>;

  bool is_wanted(std::string_view key) const { return !options_.wanted || options_.wanted(key); }
  bool has_other_texts_for(const std::string& dataset) const {
    return options_.may_have_other_texts && options_.may_have_other_texts(dataset);
  }
  SourceDataset& dataset() { return set_.datasets[dataset_]; }
  std::uint32_t given_number() const { return static_cast<std::uint32_t>(set_.given.size() - 1); }
  static Identity identity_of(const std::string& path);

  void check_published(const std::string& folder);
  void begin_parts(std::vector<std::string>&& parts);
  void add_all_unusable(std::vector<Unusable>&& unusable);
  CorpusTexts texts_of(const std::string& dataset_name, const std::string& path, const CorpusFiles& corpus,
                       Unlisted unlisted) const;
  void check_corpora(std::size_t dataset);
  bool has_any_text(std::size_t dataset) const;
  void warn_of_missing_texts(const std::vector<CorpusTexts>& corpora);
  void check_not_empty(const SourceDataset& dataset) const;

  const FindOptions& options_;
  SourceSet set_;
  std::map<std::string, std::string>
      origins_;  // of each dataset: where its name is from; empty: from the user
  std::map<std::size_t, std::map<Identity, std::string>> seen_;  // files, by dataset
  std::map<std::size_t, std::vector<CorpusTexts>> corpora_;      // by dataset
  std::map<std::size_t, std::vector<Error>> faults_;             // of corpora, by dataset
  std::set<Identity> seen_folders_;                              // of finished datasets
  std::set<std::string> folders_of_files_;
  std::set<std::size_t> failed_;  // datasets
  std::size_t dataset_ = 0;       // that files are added to
  bool was_named_ = false;        // by the user
};

}  // namespace shardmill::source
