#include "codec/damage.hpp"

namespace shardmill::codec {

Error trailing_damage(const std::string& path, std::uint64_t offset) {
  return Error("damaged: the bytes after the end of a compressed stream are neither another stream nor zeros",
               {.path = path, .offset = offset},
               "copy or make the file again; if these bytes are not needed, shardmill convert "
               "--ignore-trailing writes a "
               "good file without them");
}

Error trailing_ignored(const std::string& path, std::uint64_t offset) {
  return Error("trailing bytes after the compressed data, ignored", {.path = path, .offset = offset});
}

std::uint64_t doubtful_bytes(std::string_view problem, std::uint64_t delivered_bytes) {
  return problem.starts_with("damaged") ? delivered_bytes : 0;
}

std::string with_doubt(std::string problem, std::uint64_t delivered_bytes) {
  if (doubtful_bytes(problem, delivered_bytes) > 0)
    problem += "; the data before it in the same stream may be wrong, too";
  return problem;
}

}  // namespace shardmill::codec
