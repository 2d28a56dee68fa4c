#include "dataset/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "archive/container.hpp"
#include "audio/ffmpeg.hpp"
#include "audio/flac.hpp"
#include "audio/resample.hpp"
#include "audio/sndfile.hpp"
#include "base/error.hpp"
#include "base/io/filesystem.hpp"
#include "base/text/units.hpp"
#include "base/version.hpp"
#include "codec/codec.hpp"
#include "dataset/forms/energon_database.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

base::LibraryVersions all_versions(const base::LibraryVersions& more) {
  base::LibraryVersions versions = base::library_versions();
  const base::LibraryVersions codecs = codec::library_versions();
  versions.insert(versions.end(), codecs.begin(), codecs.end());
  versions.insert(versions.end(), more.begin(), more.end());
  versions.emplace_back("libflac", audio::libflac_version());
  versions.emplace_back("libsndfile", audio::libsndfile_version());
  versions.emplace_back("libsoxr", audio::libsoxr_version());
  versions.emplace_back("libarchive", archive::libarchive_version());
  versions.emplace_back("libsqlite3", libsqlite3_version());
  if (const std::string ffmpeg = audio::used_ffmpeg_version(); !ffmpeg.empty())
    versions.emplace_back("ffmpeg", ffmpeg);
  versions.emplace_back("tbb", pipeline::tbb_version());
  std::sort(versions.begin(), versions.end());
  versions.emplace(versions.begin(), "shardmill", base::version());
  return versions;
}

std::vector<std::pair<std::string, std::string>> not_built_in() {
  auto missing = codec::missing_libraries();
  if (!audio::sndfile_reads_mpeg()) {
    missing.emplace_back("MP3", "its samples cannot be decoded; libsndfile can from version 1.1 on");
  }
  return missing;
}

namespace fs = std::filesystem;

namespace {

// Opus of 16 kbit/s becomes 48 times as much as WAV of 48 kHz; bzip2 and its like gain little on speech.
constexpr std::uint64_t kMostGrowth = 64;

/// The folder, or the nearest one above it that exists.
std::string existing_folder(const std::string& folder) {
  std::error_code unknown;
  fs::path path = fs::absolute(folder, unknown);
  while (path.has_relative_path() && !fs::is_directory(path, unknown)) path = path.parent_path();
  return path.string();
}

}  // namespace

bool has_plenty_of_room(const std::string& folder, std::uint64_t source_bytes) {
  try {
    return source_bytes < base::filesystem_of(existing_folder(folder)).free_bytes / kMostGrowth;
  } catch (const Error&) {
    return false;
  }
}

void check_free_space(const std::string& folder, std::uint64_t needed_bytes, std::uint64_t have_bytes) {
  const std::uint64_t free = base::filesystem_of(existing_folder(folder)).free_bytes;
  const std::uint64_t wanted = needed_bytes - std::min(needed_bytes, have_bytes);
  if (wanted <= free) return;
  throw Error(fmt::format("needs about {} more, and the filesystem has {} free", base::format_size(wanted),
                          base::format_size(free)),
              at(folder), "make room", Remedy::ignore_free_space);
}

std::uint64_t bytes_below(const std::string& folder) {
  std::error_code failure;  // ignored: a file that is removed meanwhile does not count
  std::uint64_t sum = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, failure);
       !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code unknown;
    const auto bytes = entry->is_regular_file(unknown) ? entry->file_size(unknown) : 0;
    if (!unknown) sum += bytes;
  }
  return sum;
}

}  // namespace shardmill::dataset
