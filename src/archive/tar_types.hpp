// What the headers of a tar stand for: members that are no regular files, and names that readers stumble
// over.
#pragma once

#include <string>
#include <string_view>

#include "archive/tar_header.hpp"
#include "model/shard_finding.hpp"

namespace shardmill::archive {

/// A member that is no regular file.
struct NoFile {
  ShardProblem problem;
  std::string text;       // "a symbolic link to 'x'"
  bool has_data = false;  // as much as its header says comes behind it
};
NoFile no_file(const TarHeader& header);

/// True for a name that is empty or absolute, or holds '..' or control characters.
bool is_odd_name(std::string_view name);

}  // namespace shardmill::archive
