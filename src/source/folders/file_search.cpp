#include "source/folders/file_search.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <utility>

#include "archive/container.hpp"
#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "codec/codec.hpp"
#include "manifest/layout.hpp"
#include "parquet/file_metadata.hpp"
#include "source/file_name.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

bool looks_like_text(std::span<const std::byte> bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](std::byte byte) {
    return byte < std::byte{0x20} && byte != std::byte{'\t'} && byte != std::byte{'\n'} &&
           byte != std::byte{'\r'};
  });
}

/// True for a part of a list that was cut: its name is like that of a part of an archive.
bool is_part_of_text(const std::string& path) {
  const auto volume = base::volume_name(std::string_view(path).substr(path.rfind('/') + 1));
  if (!volume || volume->whole.find('.') != std::string_view::npos) return false;
  std::array<std::byte, archive::kTarBlockBytes> buffer;
  const base::File file = base::File::open_single(path);
  return looks_like_text(std::span(buffer).first(file.read_at(buffer, 0)));
}

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
  std::erase_if(files, is_part_of_text);
  std::erase_if(files, base::is_repeated_download);
  base::drop_later_volumes(files);
  std::sort(folders.begin(), folders.end());
  found_.insert(found_.end(), files.begin(), files.end());
  above_.push_back(self);
  for (const std::string& inner : folders) search(inner);
  above_.pop_back();
}

/// "UTF-16", by its byte order mark, or "UTF-16LE" or "UTF-16BE", by the zeros of its first letters.
std::string utf16_name(std::span<const std::byte> first) {
  constexpr std::size_t kLetters = 4;
  if (first.size() < 2 * kLetters) return {};
  const auto is_zero = [&](std::size_t i) { return first[i] == std::byte{0}; };
  const bool has_mark = (first[0] == std::byte{0xFF} && first[1] == std::byte{0xFE}) ||
                        (first[0] == std::byte{0xFE} && first[1] == std::byte{0xFF});
  if (has_mark && !(is_zero(2) && is_zero(3))) return "UTF-16";
  bool is_little = true;
  bool is_big = true;
  for (std::size_t i = 0; i < 2 * kLetters; i += 2) {
    is_little = is_little && !is_zero(i) && is_zero(i + 1);
    is_big = is_big && is_zero(i) && !is_zero(i + 1);
  }
  return is_little ? "UTF-16LE" : is_big ? "UTF-16BE" : "";
}

/// By its name: by its content, one is a zip, and the older form nothing that is known.
bool is_spreadsheet(const std::string& path) {
  return has_extension(path, "xlsx") || has_extension(path, "xls") || has_extension(path, "ods") ||
         has_extension(path, "numbers");
}

bool looks_like_a_shard(std::span<const std::byte> first) {
  if (!archive::container_format(first).empty()) return true;
  if (codec::detect(first) != codec::Codec::none || parquet::has_parquet_magic(first)) return true;
  if (first.size() < archive::kTarBlockBytes) return false;
  return archive::is_zero(first) || archive::read_header(first.first<archive::kTarBlockBytes>()).has_value();
}

PathKind kind_by_content(const std::string& path) {
  base::File file = base::File::open_read(path);
  std::array<std::byte, archive::kTarBlockBytes> buffer;
  const auto first = std::span(buffer).first(file.read(buffer));
  if (first.empty()) throw Error("is empty: neither a shard nor a list of shards", at(path));
  if (const std::string_view other = base::saved_instead(first); !other.empty())
    throw Error(std::string(other), at(path));
  if (is_spreadsheet(path) && !looks_like_text(first))
    throw UsageError("is a spreadsheet, and a table must be a text", at(path), "export it as CSV, in UTF-8");
  if (const std::string encoding = utf16_name(first); !encoding.empty())
    throw Error(fmt::format("is a text in {}, and must be in UTF-8", encoding), at(path),
                fmt::format("convert it: iconv -f {} -t UTF-8", encoding));
  if (looks_like_a_shard(first)) return PathKind::shard;
  if (looks_like_text(first)) return PathKind::list;
  if (is_audio_name(path)) {
    throw UsageError("is a single audio file, and a source is a corpus or a shard", at(path),
                     "give its folder, with a .txt of the same name beside it");
  }
  // The last part of one that was written in parts does not begin like a zip.
  if (has_extension(path, "zip")) archive::read_zip_directory(file);
  throw Error("is neither a tar, plain or compressed, nor a list of paths", at(path));
}

}  // namespace

std::vector<std::string> files_below(const std::string& folder,
                                     const std::function<bool(std::string_view)>& wanted) {
  FolderSearch search(wanted);
  search.search(folder);
  return search.take();
}

bool has_archive_name(std::string_view file_name) {
  if (const auto volume = base::volume_name(file_name.substr(file_name.rfind('/') + 1)))
    return volume->whole.find('.') == std::string_view::npos || has_archive_name(volume->whole);
  return has_shard_name(file_name) || has_extension(file_name, "zip") || has_extension(file_name, "7z");
}

PathKind kind_of(const std::string& path) {
  if (!base::is_remote(path)) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw system_error("cannot find this source", path);
    if (S_ISDIR(status.st_mode)) return PathKind::folder;
    if (!S_ISREG(status.st_mode)) throw Error("is neither a file nor a folder", at(path));
  } else if (!has_shard_name(path) && base::is_folder(path)) {
    return PathKind::folder;
  }
  for (const char* const table : {".jsonl.gz", ".json.gz", ".csv.gz", ".tsv.gz"}) {
    if (path.ends_with(table)) return PathKind::list;
  }
  return has_shard_name(path) ? PathKind::shard : kind_by_content(path);
}

namespace {

std::vector<std::string> glob(const std::string& pattern) {
  ::glob_t result{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &result);
  std::vector<std::string> matches(result.gl_pathv, result.gl_pathv + result.gl_pathc);
  ::globfree(&result);
  if (status == GLOB_NOMATCH) throw Error("the pattern matches nothing", at(pattern));
  if (status != 0) throw Error("cannot look for the files that the pattern matches", at(pattern));
  std::sort(matches.begin(), matches.end());
  base::drop_later_volumes(matches);
  return matches;
}

}  // namespace

namespace {

/// The shards of a run that is at work, or was killed, are not all there.
void check_is_no_work(const std::string& object) {
  const auto work = object.find(fmt::format("/{}/", manifest::kWorkFolder));
  if (work == std::string::npos) return;
  throw Error("holds a dataset that is not finished: a run is at work there, or was killed",
              at(object.substr(0, work)), "run its command again, and wait until it ends");
}

}  // namespace

std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> all;
  for (std::string& name : expand_number_ranges(pattern)) {
    if (base::is_remote(name) && name != pattern) base::share_secrets(pattern, name);
    if (!is_pattern(name)) {
      all.push_back(std::move(name));
      continue;
    }
    if (base::is_remote(name)) {
      const std::size_t before = all.size();
      for (std::string& object : base::remote_objects(name)) {
        check_is_no_work(object);
        if (has_archive_name(object)) all.push_back(std::move(object));
      }
      if (all.size() == before) {
        throw Error("holds no shard and no archive", at(name),
                    "check the prefix; upper and lower case count");
      }
      continue;
    }
    for (std::string& match : glob(name)) all.push_back(std::move(match));
  }
  return all;
}

}  // namespace shardmill::source
