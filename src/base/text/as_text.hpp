// as_text: bytes, seen as text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace shardmill::base {

/// Valid as long as the bytes are.
inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace shardmill::base
