#include "codec/trailing.hpp"

namespace shardmill::codec {

Error trailing_damage(const std::string& path, std::uint64_t offset) {
  return Error(
      "damaged: what follows the end of a compressed stream is neither another stream nor zeros",
      {.path = path, .offset = offset},
      "copy or make the file again; if nothing that counts follows, shardmill convert --ignore-trailing "
      "makes a good file of the rest");
}

Error trailing_ignored(const std::string& path, std::uint64_t offset) {
  return Error("trailing bytes after the compressed data, ignored", {.path = path, .offset = offset});
}

}  // namespace shardmill::codec
