// TextArena: keeps many small texts in few allocations. The texts it returns never move.
#pragma once

#include <cstddef>
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

}  // namespace shardmill::base
