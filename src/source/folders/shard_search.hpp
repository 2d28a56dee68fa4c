// Finding shards: what a path that the user gave is, and which shards it stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

enum class PathKind { shard, list, folder };

/// By what is there: a folder, or by the first bytes a tar or compressed file, or a text with paths. A name
/// like x.tar.bz2 is enough to be a shard, however damaged. Throws Error for anything else.
PathKind kind_of(const std::string& path);

/// The same, and for names like x.zip and x.7z.
bool has_archive_name(std::string_view file_name);

/// What matches a shell pattern, in the order of its bytes; ranges of numbers in their order. Names without
/// wildcards are not looked for.
std::vector<std::string> matches_of(const std::string& pattern);

}  // namespace shardmill::source
