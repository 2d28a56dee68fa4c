// Texts as bytes, and bytes as texts.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::testing {

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes bytes_of(const std::string& text) {
  const auto bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace shardmill::testing
