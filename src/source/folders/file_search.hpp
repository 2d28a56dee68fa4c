// Finds files: those in a folder, or those that a path or a pattern of the user names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

/// The files whose names are `wanted`, in the order of their bytes, those of a folder before those of its
/// subfolders. Hidden files are skipped. Links are followed. Throws Error for a folder that
/// cannot be read, and for a link that leads back up.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::function<bool(std::string_view name)>& wanted);

enum class PathKind { shard, list, folder };

/// A folder, or by its first bytes a shard (tar, compressed or Parquet) or a list of paths. A file with a
/// name like x.tar.bz2 is always a shard, even if it is damaged. Throws Error for anything else.
PathKind kind_of(const std::string& path);

/// True for the names of shards, and for names like x.zip and x.7z.
bool has_archive_name(std::string_view file_name);

/// The paths that match a shell pattern, in the order of their bytes; ranges of numbers in the order of the
/// numbers. Names without wildcards are returned as they are.
std::vector<std::string> matches_of(const std::string& pattern);

}  // namespace shardmill::source
