// Request: what an update is asked to do, with all that is known before it reads a sample; the folder of the
// dataset, with the work in it; and Removal: the samples it takes out, by their keys, speakers, and whole
// parts of the dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "dataset/recipe.hpp"
#include "dataset/records.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/intake_options.hpp"
#include "repack/plan.hpp"
#include "update/options.hpp"

namespace shardmill::update {

class Removal {
 public:
  /// Reads the files that `options` name. Throws Error when one of them lists nothing.
  explicit Removal(const UpdateOptions& options);

  /// True when the sample is to be removed. Any thread may ask.
  bool takes(const manifest::WholeSampleRecord& record) const;
  /// True if it is removed because all samples of its speaker are.
  bool takes_speaker_of(const manifest::WholeSampleRecord& record) const;
  /// The same as takes(), and remembers which of the names were found. Any thread may call it.
  bool find(const manifest::WholeSampleRecord& record);
  /// Throws Error, which names a few of them, when find() met no sample of some keys, speakers or datasets,
  /// or when a speaker's name belongs to two datasets.
  void check_all_found() const;
  /// Datasets and speakers whose samples find() met.
  const std::set<std::pair<std::string, std::string>>& found_speakers() const { return found_speakers_; }
  /// Of all names. The order of the lines makes no difference.
  base::Xxh128 hash() const;

 private:
  /// The lines of a file, and which of them were found.
  struct Names {
    std::string path;  // empty: not given
    pipeline::KeyList list{};
    std::vector<bool> found{};
  };
  struct Match {
    std::optional<std::size_t> key;
    std::optional<std::size_t> speaker;
    std::optional<std::size_t> speaker_of_dataset;  // of the line DATASET/SPEAKER
    std::optional<std::size_t> dataset;

    bool any() const { return key || speaker || speaker_of_dataset || dataset; }
  };

  static Names read(const std::string& path);
  Match match(const manifest::WholeSampleRecord& record) const;
  static void check_found(const Names& names, std::string_view what, std::string_view advice);
  void check_datasets_found() const;

  Names keys_;
  Names speakers_;
  std::vector<std::string> datasets_;
  std::vector<bool> datasets_found_;
  std::vector<std::string> speaker_datasets_;  // by number of a plain speaker's line: where it was found
  std::set<std::pair<std::string, std::string>> found_speakers_;
  std::mutex mutex_;
};

struct Request {
  const UpdateOptions& options;  // must outlive it
  std::string work;              // the folder to work in
  dataset::DatasetRecords records;
  dataset::Recipe recipe;                  // of the dataset, with the changes that the options ask for
  std::shared_ptr<Removal> removal;        // null: nothing is removed
  std::optional<repack::RepackPlan> plan;  // of the sources to add
  base::Xxh128 id;                         // the same command has the same id, whatever its files hold

  /// True when the last update of the dataset was this one, and read the same files as they are now. False
  /// with --force.
  bool is_done() const { return !options.force && is_last_update(); }
  /// The same, also with --force.
  bool is_last_update() const;
  /// Null: nothing is removed.
  const Removal* removed_samples() const { return removal.get(); }
  std::uint32_t old_shards() const { return static_cast<std::uint32_t>(records.shards->size()); }
  std::uint64_t max_rejects() const { return options.max_rejects.value_or(records.run->max_rejects); }
  /// Whether a key means the same sample in all sources, so far and now.
  bool keys_are_shared() const;
  /// The names of the dataset as it is, then those that only the sources have.
  std::vector<std::string> dataset_names() const;
  /// Describes all that the reading of the sources depends on.
  std::string fingerprint() const;
};

/// Reads the records and looks up the sources. Throws Error for a dataset that is not whole or that cannot be
/// updated. `removal`: null if nothing is removed.
Request look_up(const UpdateOptions& options, std::shared_ptr<Removal> removal, base::Reporter& reporter);

/// The folder in which an update works.
std::string work_of(const std::string& folder);

/// Throws Error when the folder is not a dataset of shardmill.
void check_folder(const std::string& folder);

/// Throws Error when a run of another command is unfinished in it, and may go on. `is_forced`:
/// drop_unfinished() will remove what may be removed.
void check_no_other_run(const std::string& folder, bool is_forced);

/// Removes the work of an unfinished update, or of a run in parts that would replace the dataset.
void drop_unfinished(const std::string& folder);

}  // namespace shardmill::update
