#include "source/folders/shard_search.hpp"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "archive/container.hpp"
#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec.hpp"
#include "source/names/audio_name.hpp"
#include "source/names/number_range.hpp"
#include "source/shard_name.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

namespace {

bool looks_like_text(std::span<const std::byte> bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](std::byte byte) {
    return byte < std::byte{0x20} && byte != std::byte{'\t'} && byte != std::byte{'\n'} &&
           byte != std::byte{'\r'};
  });
}

bool looks_like_a_shard(std::span<const std::byte> first) {
  if (!archive::container_format(first).empty()) return true;
  if (codec::detect(first) != codec::Codec::none) return true;
  if (first.size() < archive::kTarBlockBytes) return false;
  return archive::is_zero(first) || archive::read_header(first.first<archive::kTarBlockBytes>()).has_value();
}

PathKind kind_by_content(const std::string& path) {
  base::File file = base::File::open_read(path);
  std::array<std::byte, archive::kTarBlockBytes> buffer;
  const auto first = std::span(buffer).first(file.read(buffer));
  if (first.empty()) throw Error("is empty: neither a shard nor a list of shards", at(path));
  if (looks_like_a_shard(first)) return PathKind::shard;
  if (looks_like_text(first)) return PathKind::list;
  if (is_audio_name(path)) {
    throw UsageError("is a single audio file, and a source is a corpus or a shard", at(path),
                     "give its folder, with a .txt of the same name beside it");
  }
  throw Error("is neither a tar, plain or compressed, nor a list of paths", at(path));
}

}  // namespace

bool has_archive_name(std::string_view file_name) {
  return has_shard_name(file_name) || file_name.ends_with(".zip") || file_name.ends_with(".7z");
}

PathKind kind_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("cannot find this source", path);
  if (S_ISDIR(status.st_mode)) return PathKind::folder;
  if (!S_ISREG(status.st_mode)) throw Error("is neither a file nor a folder", at(path));
  return has_shard_name(path) ? PathKind::shard : kind_by_content(path);
}

namespace {

std::vector<std::string> glob(const std::string& pattern) {
  ::glob_t result{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &result);
  std::vector<std::string> matches(result.gl_pathv, result.gl_pathv + result.gl_pathc);
  ::globfree(&result);
  if (status == GLOB_NOMATCH) throw Error("the pattern matches nothing", at(pattern));
  if (status != 0) throw Error("cannot look for what the pattern matches", at(pattern));
  std::sort(matches.begin(), matches.end());
  return matches;
}

}  // namespace

std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> all;
  for (std::string& name : expand_number_ranges(pattern)) {
    if (!is_pattern(name)) {
      all.push_back(std::move(name));
      continue;
    }
    for (std::string& match : glob(name)) all.push_back(std::move(match));
  }
  return all;
}

}  // namespace shardmill::source
