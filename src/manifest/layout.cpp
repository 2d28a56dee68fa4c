#include "manifest/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace shardmill::manifest {

void check_prefix(std::string_view prefix) {
  const auto is_tame = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (prefix.empty() || prefix.front() == '-' || !std::all_of(prefix.begin(), prefix.end(), is_tame)) {
    throw UsageError(fmt::format("the prefix '{}' cannot be the beginning of file names", printable(prefix)),
                     {}, "use letters, digits, _ and -");
  }
}

std::string shard_file_name(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix) {
  return fmt::format("{}_{:09}.tar{}", prefix, shard_id, codec_suffix);
}

std::string manifest_file_name(std::uint64_t shard_id) {
  return fmt::format("manifest_{:09}.json", shard_id);
}

std::string shard_file_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix) {
  if (shards == 1) return shard_file_name(prefix, 0, codec_suffix);
  return fmt::format("{}_{{{:09}..{:09}}}.tar{}", prefix, 0, shards - 1, codec_suffix);
}

std::string shard_path(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix) {
  return fmt::format("{}/{}", kShardFolder, shard_file_name(prefix, shard_id, codec_suffix));
}

std::string manifest_path(std::uint64_t shard_id) {
  return fmt::format("{}/{}", kManifestFolder, manifest_file_name(shard_id));
}

std::string shard_path_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix) {
  return fmt::format("{}/{}", kShardFolder, shard_file_pattern(prefix, shards, codec_suffix));
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

void check_inner_path(std::string_view path) {
  const std::filesystem::path parts(path);
  const bool leads_out = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (path.empty() || parts.is_absolute() || leads_out || printable(path) != path) {
    throw Error(fmt::format("'{}' is not a path inside the dataset's folder", printable(path)));
  }
}

}  // namespace shardmill::manifest
