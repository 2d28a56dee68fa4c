// RunningHash: a quick hash (XXH64) of a growing file, which tells later whether its bytes are still the
// same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardmill::base {

/// A plain value of 88 bytes: a copy continues independently. It finds accidents, not forgery.
class RunningHash {
 public:
  RunningHash();

  void update(std::span<const std::byte> data);
  void update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }
  /// The hash of all bytes so far; more may follow.
  std::uint64_t digest() const;

 private:
  std::array<std::uint64_t, 11> state_{};
};

std::uint64_t quick_hash(std::span<const std::byte> data);

}  // namespace shardmill::base
