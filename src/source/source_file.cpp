#include "source/source_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "shard/tar_input.hpp"
#include "source/file_name.hpp"

namespace shardmill::source {

namespace {

const char* problem_with(const std::string& path, struct stat& status, Empty empty) {
  if (::stat(path.c_str(), &status) != 0) {
    if (is_machine_failure(errno)) throw system_error("cannot examine", path);
    const bool is_address = errno == ENOENT && path.find("://") != std::string::npos;
    return is_address ? "is on another machine; of these only http://, https:// and s3:// are read: copy it "
                        "here first"
                      : std::strerror(errno);
  }
  if (S_ISDIR(status.st_mode)) return "is a folder, not a file";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if (status.st_size == 0 && empty == Empty::refused) return "is empty (0 bytes)";
  if (::access(path.c_str(), R_OK) != 0) {
    if (is_machine_failure(errno)) throw system_error("cannot examine", path);
    return std::strerror(errno);
  }
  return nullptr;
}

std::string named_problem(const std::string& problem, const std::string& named_at) {
  return named_at.empty() ? problem : fmt::format("{} (named in {})", problem, printable(named_at));
}

std::pair<SourceFile, std::optional<Error>> look_up_remote(const std::string& path,
                                                           const std::string& named_at, Empty empty) {
  SourceFile found{.path = path};
  try {
    if (const auto listed = base::FileWatch::of_listed(path)) {
      found.bytes = listed->bytes;
      found.mtime_ns = listed->mtime_ns;
      if (found.bytes != 0 || empty == Empty::allowed) return {found, std::nullopt};
    }
    const base::File file = base::File::open_read(path);
    found.bytes = file.size();
    found.mtime_ns = base::FileWatch(file).mtime_ns();
    found.has_no_version = file.remote()->version().empty();
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    const bool is_like_pattern = path.find_first_of("*{[") != path.npos;
    return {found,
            Error(named_problem(error.problem(), named_at), at(path),
                  is_like_pattern ? "in addresses only numbers are expanded, as {0..63}, and not those in "
                                    "a list; an address in a bucket that ends with / means all below it"
                                  : error.advice())};
  }
  if (found.bytes == 0 && empty == Empty::refused)
    return {found, Error(named_problem("is empty (0 bytes)", named_at), at(path))};
  return {found, std::nullopt};
}

constexpr std::size_t kMostFiles = 64;

}  // namespace

std::pair<SourceFile, std::optional<Error>> look_up(const std::string& path, const std::string& named_at,
                                                    Empty empty) {
  if (base::is_remote(path)) return look_up_remote(path, named_at, empty);
  struct stat status {};
  if (const char* problem = problem_with(path, status, empty); problem != nullptr)
    return {SourceFile{.path = path}, Error(named_problem(problem, named_at), at(path))};
  if (base::volume_name(std::filesystem::path(path).filename().string())) {
    try {
      const base::File file = base::File::open_read(path);
      return {SourceFile{.path = path, .bytes = file.size(), .mtime_ns = base::FileWatch(file).mtime_ns()},
              std::nullopt};
    } catch (const Error& error) {
      return {SourceFile{.path = path}, error};
    }
  }
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {SourceFile{.path = path,
                     .bytes = static_cast<std::uint64_t>(status.st_size),
                     .mtime_ns = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec},
          std::nullopt};
}

std::string folder_of(const std::string& archive, std::string_view path,
                      const std::set<std::string>* as_folders) {
  if (as_folders != nullptr && as_folders->contains(normal_path(archive)))
    return std::string(without_archive_suffix(path)) + "/";
  return std::string(path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1));
}

namespace {

/// The first folder, from that of the text file upwards, for which `fits` is true, or nullopt.
template <typename Fits>
std::optional<std::filesystem::path> folder_above(const std::string& text_file, const Fits& fits) {
  // Kaldi's recipes name files from three folders up: data/train/wav.scp.
  constexpr int kMostFolders = 4;
  std::filesystem::path folder = std::filesystem::path(text_file).parent_path();
  for (int up = 0; up < kMostFolders; ++up) {
    if (fits(folder)) return folder;
    if (folder.empty() || folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

/// Whatever cannot be looked at, as a loop of links, is reported when its turn comes.
bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace

std::string NamedPaths::resolve(const std::string& path) {
  namespace fs = std::filesystem;
  if (base::is_remote(path) || fs::path(path).is_absolute()) return path;
  if (!begin_) begin_ = first_folder([&](const fs::path& folder) { return is_there(folder / path); });
  return begin_ ? (*begin_ / path).string() : path;
}

std::string NamedPaths::resolve_command(const std::string& command) {
  const std::vector<std::string> paths = base::relative_paths_in(command);
  const auto has_one = [&](const std::filesystem::path& folder) {
    return std::ranges::any_of(paths, [&](const std::string& path) { return is_there(folder / path); });
  };
  if (!begin_) begin_ = first_folder(has_one);
  if (!begin_ || begin_->empty() || (!has_one(*begin_) && !has_one({}))) return command;
  return base::run_from_folder(command, begin_->string());
}

std::string NamedPaths::missing_audio(const std::string& command) const {
  for (const std::string& word : base::first_arguments(command)) {
    const bool is_name = word.front() != '-' && !base::is_remote(word) && is_audio_name(word);
    const bool is_found = is_there(word) || (begin_ && is_there(*begin_ / word));
    if (is_name && !is_found) return word;
  }
  return {};
}

std::optional<std::filesystem::path> NamedPaths::first_folder(const Fits& fits) const {
  if (fits({})) return std::filesystem::path();
  const auto folder = folder_above(text_file_, fits);
  return folder && folder->empty() ? std::filesystem::path(".") : folder;
}

std::uint64_t estimate_tar_bytes(const std::vector<SourceFile>& files) {
  double all_bytes = 0;
  for (const SourceFile& file : files) all_bytes += static_cast<double>(file.bytes);
  const std::size_t looked_at = std::min(files.size(), kMostFiles);
  double file_bytes = 0;
  double tar_bytes = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const base::File file = base::File::open_read(files[i * files.size() / looked_at].path);
    file_bytes += static_cast<double>(file.size());
    tar_bytes += static_cast<double>(shard::estimate_tar_bytes(file));
  }
  if (file_bytes == 0) return 0;
  return static_cast<std::uint64_t>(all_bytes * (tar_bytes / file_bytes));
}

void Promises::meet(std::string_view key) {
  if (promises_.empty()) return;
  const std::lock_guard lock(mutex_);
  met_.insert(key);
}

void Promises::for_each_broken(const std::function<void(const Unusable& broken)>& use) const {
  for (const Promise& promise : promises_) {
    promise.rest([&](LostAudio lost) {
      if (met_.contains(lost.key)) return;
      Unusable one{.what = Unusable::What::audio,
                   .key = std::string(lost.key),
                   .error = std::move(lost.error),
                   .dataset = promise.dataset};
      if (lost.samples != 1) one.samples = lost.samples;
      use(one);
    });
  }
}

}  // namespace shardmill::source
