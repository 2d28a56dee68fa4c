#include "shardmill/commands/staged_files.hpp"

#include <filesystem>
#include <set>
#include <utility>

#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/manifest/layout.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

StagedFiles::StagedFiles(std::string folder)
    : folder_(std::move(folder)), path_(folder_ + "/" + std::string(manifest::kWorkFolder) + "/index") {
  base::remove_tree(path_);
  new_folders_.make(path_);
}

StagedFiles::~StagedFiles() {
  try {
    base::remove_tree(path_);
  } catch (const Error&) {
    // The failure that led here is the one to tell of; the next run removes what is left.
  }
}

void StagedFiles::publish(const std::vector<std::string>& names) {
  std::set<fs::path> folders;
  for (const std::string& name : names) {
    const fs::path target = fs::path(folder_) / name;
    if (folders.insert(target.parent_path()).second) base::make_folders(target.parent_path());
    base::rename_file(path_ + "/" + name, target.string());
  }
  for (const fs::path& folder : folders) base::sync_folder(folder);
}

}  // namespace shardmill::commands
