// publish: moves a finished dataset from the work folder to its final names. After a crash, the next run
// completes this.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

/// From where to where, relative to the dataset's folder.
using Renames = std::vector<std::pair<std::string, std::string>>;

/// The folder of an update that is not finished, within that of the dataset.
inline constexpr std::string_view kUpdateFolder = ".shardmill/update";

/// The file in the work folder that lists what publish() does. The caller removes it, after everything else
/// in there.
std::string publish_list_path(const std::string& work_folder);

/// Everything must be synced already. First withdraws an old dataset in the same folder; only files that its
/// records name are removed. The last rename makes the new dataset complete. Throws Error, without having
/// changed anything, when a file that shardmill did not make has one of the names.
/// `kept`: files of the old dataset that are files of the new one as they are.
void publish(const std::string& folder, const Renames& renames, const std::set<std::string>& kept = {});

/// Does only the first part: afterwards, finish_publishing() does the rest. Everything is durable on return.
void prepare_publishing(const std::string& folder, const Renames& renames,
                        const std::set<std::string>& kept = {});

/// The files that an interrupted publish() would write or remove. All of them are shardmill's.
std::set<std::string> names_being_published(const std::string& folder);

/// Completes a publish() that a crash interrupted. Returns whether there was one. Files that were lost since
/// are missing afterwards: check_files_are_there() finds them, and repair makes them again.
bool finish_publishing(const std::string& folder);

/// Files that a command adds next to files of others. They are written in another place; then all of them get
/// their names, or none.
class StagedFiles {
 public:
  /// The caller must have locked `folder`. Removes what an earlier run left.
  explicit StagedFiles(const std::string& folder);
  /// Removes files that did not get their names.
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  /// The folder in which they must be written, under their final names.
  const std::string& path() const noexcept { return stage_; }

  /// Moves all files to their names. Throws Error, without having moved any, when something with such a name
  /// is neither in `owned` nor identical.
  void publish(const std::vector<manifest::Checksum>& files, const FileNames& owned);

 private:
  std::string folder_;
  std::string stage_;
};

}  // namespace shardmill::dataset
