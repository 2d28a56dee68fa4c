#include "dataset/staged_files.hpp"

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

StagedFiles::StagedFiles(const std::string& folder)
    : folder_(folder),
      stage_(folder + "/" + std::string(manifest::kWorkFolder) + "/" +
             std::string(manifest::kStagedIndexes)) {
  base::remove_tree(stage_);
  base::make_folders(stage_);
}

StagedFiles::~StagedFiles() {
  try {
    base::remove_tree(stage_);
  } catch (const std::exception&) {
    // It is only scratch. The next run removes it.
  }
}

void StagedFiles::publish(const std::vector<manifest::Checksum>& files, const FileNames& owned) {
  std::vector<std::string> to_move;
  for (const manifest::Checksum& file : files) {
    const bool is_same = !owned.contains(file.path) && holds_just(folder_ + "/" + file.path, file.sha256);
    if (!is_same) to_move.push_back(file.path);
  }
  check_not_taken(folder_, to_move, owned);
  std::set<fs::path> folders;
  for (const std::string& name : to_move) {
    const fs::path target = fs::path(folder_) / name;
    if (folders.insert(target.parent_path()).second) base::make_folders(target.parent_path());
    base::rename_file(stage_ + "/" + name, target.string());
  }
  for (const fs::path& folder : folders) base::sync_folder(folder);
}

}  // namespace shardmill::dataset
