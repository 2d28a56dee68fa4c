// Hashes: XXH3 with 128 bits to compare audio, SHA-256 for whole files, a quick XXH64 to notice changes of
// scratch files, and a mixing step for numbers. The state of a SHA-256 can be saved.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// The last step of SplitMix64: every bit of `number` affects every bit of the result.
constexpr std::uint64_t mix(std::uint64_t number) noexcept {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// Lower-case hexadecimal digits, two for each byte.
std::string to_hex(std::span<const std::byte> bytes);
/// As MIME writes it, with '=' at the end where the last group is not full.
std::string to_base64(std::span<const std::byte> bytes);
/// Fills `out`. Returns false if `hex` has another length or anything but lower-case hexadecimal digits.
bool from_hex(std::string_view hex, std::span<std::byte> out);

/// An XXH3 128-bit hash, most significant byte first: its hex is what xxh128sum prints.
struct Xxh128 {
  std::array<std::byte, 16> bytes{};

  std::string hex() const { return to_hex(bytes); }
  static std::optional<Xxh128> from_hex(std::string_view hex);
  auto operator<=>(const Xxh128&) const = default;
};

Xxh128 xxh3_128(std::span<const std::byte> data, VectorPath path = chosen_vector_path());

/// SHA-256 of a stream. A plain value: a copy continues independently of the original.
class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;
  /// The state that another process needs to continue; the same on every machine.
  using State = std::array<std::byte, 104>;

  void update(std::span<const std::byte> data);
  /// The hash of all bytes so far; more may follow.
  Digest digest() const;

  State state() const;
  static Sha256 from_state(const State& state);

 private:
  friend struct Sha256Lane;  // hashes blocks of several streams side by side
  static constexpr std::size_t kBlockBytes = 64;

  std::array<std::uint32_t, 8> words_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint64_t bytes_ = 0;
  std::array<std::byte, kBlockBytes> pending_{};  // the bytes_ % 64 that do not fill a block yet
};

/// The digest as `sha256sum` prints it.
std::string sha256_hex(std::span<const std::byte> data);

/// A quick hash (XXH64) of a growing file, to check later that its bytes are still the same. A plain value of
/// 88 bytes: a copy continues independently. It finds accidents, not forgery.
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
