// StagedFiles: files that get their names in a folder all together, when each of them is whole.
#pragma once

#include <string>
#include <vector>

#include "shardmill/base/folder.hpp"

namespace shardmill::commands {

class StagedFiles {
 public:
  /// For files that will lie in `folder`. What an earlier run has left is removed.
  explicit StagedFiles(std::string folder);
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;
  /// What was not published goes.
  ~StagedFiles();

  /// Where they are written meanwhile.
  const std::string& path() const noexcept { return path_; }

  /// Gives the files, which are durable, their names: the same relative to the folder as they are to path().
  void publish(const std::vector<std::string>& names);

 private:
  std::string folder_;
  std::string path_;
  base::NewFolders new_folders_;
};

}  // namespace shardmill::commands
