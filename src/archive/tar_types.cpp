#include "archive/tar_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shardmill::archive {

NoFile no_file(const TarHeader& header) {
  switch (header.type) {
    case '1':
      return {ShardProblem::link, "a hard link to '" + header.link_target + "'"};
    case '2':
      return {ShardProblem::link, "a symbolic link to '" + header.link_target + "'"};
    case '3':
    case '4':
      return {ShardProblem::special_file, "a device"};
    case '5':
      return {ShardProblem::directory, "a directory"};
    case '6':
      return {ShardProblem::special_file, "a fifo"};
    case 'D':
      return {ShardProblem::directory, "a directory", true};
    case 'S':
      return {ShardProblem::sparse_file, "a sparse file", true};
    default:
      return {ShardProblem::special_file, fmt::format("a member of type '{}'", header.type), true};
  }
}

bool is_odd_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty() || name.front() == '/' || std::any_of(name.begin(), name.end(), is_control)) return true;
  return name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

}  // namespace shardmill::archive
