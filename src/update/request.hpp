// Request: what an update is asked to do, with all that is known before it reads a sample; and the folder of
// the dataset that is updated, with the work in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"
#include "dataset/recipe.hpp"
#include "dataset/records.hpp"
#include "repack/plan.hpp"
#include "update/options.hpp"
#include "update/removal.hpp"

namespace shardmill::update {

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
  bool is_done() const;
  /// Null: nothing is removed.
  const Removal* removed_samples() const { return removal.get(); }
  std::uint32_t old_shards() const { return static_cast<std::uint32_t>(records.shards->size()); }
  std::uint64_t max_rejects() const { return options.max_rejects.value_or(records.run->max_rejects); }
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

/// Removes the work of an update that stopped before anything was worth keeping.
void clean_up_failure(const std::string& folder, const base::WriterLock& lock) noexcept;

}  // namespace shardmill::update
