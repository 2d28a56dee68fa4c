#include "shard/unread_audio.hpp"

#include <algorithm>
#include <array>

namespace shardmill::shard {

bool may_hold_audio(std::string_view extension) {
  constexpr std::array<std::string_view, 27> kOther{
      "webm", "weba", "mp4",  "mkv", "mka", "mov", "avi", "3gp", "flv", "wmv", "mpg", "mpeg", "ts", "m4b",
      "m4v",  "mid",  "midi", "pcm", "raw", "ac3", "dts", "ape", "wv",  "dsf", "tta", "spx",  "ra"};
  return std::find(kOther.begin(), kOther.end(), extension) != kOther.end();
}

}  // namespace shardmill::shard
