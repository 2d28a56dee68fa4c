#include "shardmill/base/folder.hpp"

#include <cerrno>

#include "shardmill/base/error.hpp"

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

}  // namespace shardmill::base
