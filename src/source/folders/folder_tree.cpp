#include "source/folders/folder_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// Searches folder after folder; remembers those it is in, so that a link to one of them does not go round in
/// circles.
class FolderSearch {
 public:
  explicit FolderSearch(const std::function<bool(std::string_view)>& wanted) : wanted_(wanted) {}

  void search(const fs::path& folder);
  std::vector<std::string> take() { return std::move(found_); }

 private:
  const std::function<bool(std::string_view)>& wanted_;
  std::vector<std::string> found_;
  std::vector<fs::path> above_;
};

void FolderSearch::search(const fs::path& folder) {
  std::error_code failure;
  const fs::path self = fs::canonical(folder, failure);
  if (std::find(above_.begin(), above_.end(), self) != above_.end()) {
    throw Error("is a link that leads back up to a folder above it", at(folder.string()), "remove it");
  }
  std::vector<std::string> files;
  std::vector<std::string> folders;
  fs::directory_iterator entries;
  if (!failure) entries = fs::directory_iterator(folder, failure);
  for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
    const std::string name = entries->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    if (entries->is_directory(ignored)) {
      folders.push_back(entries->path().string());
    } else if (wanted_(name)) {
      files.push_back(entries->path().string());
    }
  }
  if (failure) {
    errno = failure.value();
    throw system_error("cannot read the folder", folder.string());
  }
  std::sort(files.begin(), files.end());
  std::sort(folders.begin(), folders.end());
  found_.insert(found_.end(), files.begin(), files.end());
  above_.push_back(self);
  for (const std::string& inner : folders) search(inner);
  above_.pop_back();
}

}  // namespace

std::vector<std::string> files_below(const std::string& folder,
                                     const std::function<bool(std::string_view)>& wanted) {
  FolderSearch search(wanted);
  search.search(folder);
  return search.take();
}

}  // namespace shardmill::source
