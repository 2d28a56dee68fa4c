#include "base/io/folder.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {

namespace fs = std::filesystem;

namespace {

void check(const std::error_code& failure, const char* doing, const fs::path& path) {
  if (!failure) return;
  errno = failure.value();
  throw system_error(doing, path.string());
}

}  // namespace

bool exists(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::status_known(status)) return fs::exists(status);
  check(failure, "cannot examine", path);
  return true;
}

bool may_exist(const fs::path& path) noexcept {
  std::error_code failure;
  return fs::exists(path, failure) || failure;
}

bool is_folder(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::status_known(status)) check(failure, "cannot examine", path);
  return fs::is_directory(status);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    found.push_back(entry->path());
  }
  check(failure, "cannot read the folder", folder);
  return found;
}

void remove_tree(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  check(failure, "cannot remove", path);
}

std::string canonical(const fs::path& path) {
  std::error_code failure;
  const fs::path result = fs::weakly_canonical(path, failure);
  check(failure, "cannot examine", path);
  return result.string();
}

void NewFolders::make(const fs::path& folder) {
  std::vector<std::string> missing;
  for (fs::path each = folder; !each.empty() && !may_exist(each); each = each.parent_path()) {
    missing.push_back(each.string());
  }
  made_.insert(made_.begin(), missing.begin(), missing.end());
  make_folders(folder);
}

void NewFolders::remove_empty() noexcept {
  // This fails for a folder that is in use, as it should.
  for (const std::string& folder : made_) ::rmdir(folder.c_str());
  made_.clear();
}

}  // namespace shardmill::base
