// The names by which shards are found in a folder.
#pragma once

#include <string_view>

namespace shardmill::source {

/// True for names like x.tar, x.tar.bz2, x.tgz and x.TAR.GZ. Compressions that cannot be read count as well,
/// so that such a file is an error and not overlooked.
bool has_shard_name(std::string_view file_name);

/// "x" for "x.tar.gz" and "x.tgz"; the whole name when it is not that of a shard.
std::string_view without_shard_suffix(std::string_view file_name);

}  // namespace shardmill::source
