// Texts as bytes, bytes as texts, and bytes that say nothing.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <string>

#include "base/io/file.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::testing {

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes bytes_of(const std::string& text) {
  const auto bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

/// The same for the same seed.
inline Bytes random_bytes(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace shardmill::testing
