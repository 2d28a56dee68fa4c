#include "shard/layout.hpp"

#include <algorithm>
#include <string_view>

#include "archive/tar_walk.hpp"
#include "base/error.hpp"

namespace shardmill::shard {

namespace {

/// The dot that ends the key; npos for a name without one, and for a name that a loader skips.
std::size_t key_end(std::string_view name) {
  const std::size_t base = name.rfind('/') + 1;  // 0 without a slash
  const std::size_t dot = name.find('.', base);
  const bool is_meta = name.starts_with("__");
  return dot == base || is_meta ? std::string_view::npos : dot;
}

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
}

}  // namespace

ShardLayout layout_of(const base::File& tar) {
  archive::TarWalk walk = archive::walk_tar(tar);
  ShardLayout layout{.samples = {}, .end_offset = walk.end_offset};
  std::string_view last_key;
  for (archive::TarWalk::Place& file : walk.files) {
    const std::size_t dot = key_end(file.name);
    if (dot == std::string_view::npos || std::any_of(file.name.begin(), file.name.end(), is_blank)) {
      throw Error("loaders read this name in different ways, so no index fits them all",
                  {.path = tar.path(), .member = file.name, .offset = file.header_offset},
                  "shardmill repack gives it a name that all read alike");
    }
    const std::string_view key = std::string_view(file.name).substr(0, dot);
    if (layout.samples.empty() || key != last_key)
      layout.samples.push_back({.header_offset = file.header_offset, .members = {}});
    last_key = key;
    layout.samples.back().members.push_back({.name = file.name,
                                             .is_name_in_header = file.is_name_in_header,
                                             .extension = file.name.substr(dot + 1),
                                             .offset = file.offset,
                                             .bytes = file.bytes});
  }
  return layout;
}

}  // namespace shardmill::shard
