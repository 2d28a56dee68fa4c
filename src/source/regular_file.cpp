#include "shardmill/source/regular_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace shardmill::source {

namespace {

const char* problem_with(const std::string& path, struct stat& status) {
  if (::stat(path.c_str(), &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a folder, not a file";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if (status.st_size == 0) return "is empty (0 bytes)";
  if (::access(path.c_str(), R_OK) != 0) return std::strerror(errno);
  return nullptr;
}

}  // namespace

std::pair<SourceFile, std::optional<Error>> look_up(const std::string& path, const std::string& named_at) {
  struct stat status {};
  if (const char* problem = problem_with(path, status); problem != nullptr) {
    const std::string text =
        named_at.empty() ? problem : fmt::format("{} (named in {})", problem, printable(named_at));
    return {SourceFile{.path = path}, Error(text, at(path))};
  }
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {SourceFile{.path = path,
                     .bytes = static_cast<std::uint64_t>(status.st_size),
                     .mtime_ns = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec},
          std::nullopt};
}

}  // namespace shardmill::source
