// TextArena: keeps many small texts in few allocations. The texts it returns never move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace shardmill::base {

/// One thread at a time.
class TextArena {
 public:
  /// A copy that lives as long as the arena; moving the arena does not move it.
  std::string_view keep(std::string_view text);

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
};

inline std::string_view TextArena::keep(std::string_view text) {
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
