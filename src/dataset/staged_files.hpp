// StagedFiles: files that a command adds next to files of others. They are written in another place; then all
// of them get their names, or none.
#pragma once

#include <string>
#include <vector>

#include "dataset/owned_files.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

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
