#include "source/names/audio_name.hpp"

#include <algorithm>
#include <string>

#include "base/text/letters.hpp"
#include "shard/keys.hpp"

namespace shardmill::source {

AudioName audio_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {.stem = path, .extension = {}};
  return {.stem = path.substr(0, dot), .extension = path.substr(dot + 1)};
}

std::string_view without_extension(std::string_view path) {
  const AudioName name = audio_name(path);
  if (!name.extension.empty()) path.remove_suffix(name.extension.size() + 1);
  return path;
}

bool is_audio_name(std::string_view path) {
  return shard::is_audio_extension(base::lower(audio_name(path).extension));
}

bool has_extension(std::string_view path, std::string_view extension) {
  return base::lower(audio_name(path).extension) == extension;
}

}  // namespace shardmill::source
