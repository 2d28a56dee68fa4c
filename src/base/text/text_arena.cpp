#include "base/text/text_arena.hpp"

#include <algorithm>
#include <cstring>

namespace shardmill::base {

std::string_view TextArena::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > free_bytes_) {
    free_bytes_ = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(free_bytes_));
    free_ = blocks_.back().get();
  }
  std::memcpy(free_, text.data(), text.size());
  const std::string_view kept(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return kept;
}

}  // namespace shardmill::base
