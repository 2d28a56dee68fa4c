// GzipDecoder: decodes a file of gzip members to plain bytes, in any number of parts; and asks zlib about
// deflate data that our decoder rejects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

/// Some bytes of a file.
struct GzipInput {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // of the first
  bool last = false;         // the file ends with them
};

/// Consecutive plain bytes of one member. Their checksum is known at the end of the member.
struct GzipStretch {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  bool begins_member = false;
  bool ends_member = false;
  std::uint32_t stored_crc = 0;
  std::uint32_t stored_size = 0;
  bool has_size = true;  // the file does not end before it
  std::uint64_t trailer_offset = 0;
};

/// The damage, and its place in the file.
struct GzipDamage {
  std::string problem;
  std::string advice{};
  std::uint64_t offset = 0;
};

/// Takes the plain bytes, and the facts about them.
struct GzipOutput {
  std::uint8_t* next = nullptr;  // the window is in front of it
  std::uint8_t* end = nullptr;
  std::vector<GzipStretch> stretches{GzipStretch{}};
  std::optional<GzipDamage> damage{};
  std::optional<std::uint64_t> garbage_offset{};  // the first byte that does not belong to a member
};

enum class GzipEnd {
  input,  // is used up, except for the beginning of a longer code or header
  room,   // is used up
  block,  // begins at or after the wanted place
};

/// One thread at a time. The caller keeps its window, the last bytes of the current member.
class GzipDecoder {
 public:
  /// Starts at the beginning of a file.
  GzipDecoder() = default;
  /// Starts at a block at bit `bit`, in a member with `window_bytes` bytes before it.
  GzipDecoder(std::uint64_t bit, DeflateDecoder deflate, std::size_t window_bytes);

  /// Decodes the rest of `in`, which must start at or before bit(). Stops at the first block at or after bit
  /// `stop_bit`, and at a block at bit `wanted_bit`. After damage, skips everything else.
  GzipEnd decode(const GzipInput& in, std::uint64_t stop_bit, std::uint64_t wanted_bit, GzipOutput& out);

  /// The next bit, counted over the whole file.
  std::uint64_t bit() const noexcept { return bit_; }
  /// True if the block that find_deflate_start() found at this bit comes next.
  bool is_at(const GzipInput& in, std::uint64_t bit) const;
  bool at_block() const noexcept { return stage_ == Stage::blocks && !deflate_.inside_block(); }
  std::size_t window_bytes() const noexcept { return window_bytes_; }
  /// The last block of the member has just ended.
  void end_member() noexcept;
  void set_window_bytes(std::size_t bytes) noexcept { window_bytes_ = bytes; }
  /// True if nothing more will be decoded.
  void give_up() noexcept { stage_ = Stage::over; }

  /// Saves the state for another decoder, which needs the same window.
  void save(base::BinaryWriter& out) const;
  void restore(base::BinaryReader& in);

 private:
  enum class Stage : std::uint8_t { between, header, blocks, trailer, over };  // journals hold these numbers

  bool pass_between(const GzipInput& in, GzipOutput& out);
  bool pass_header(const GzipInput& in, GzipOutput& out);
  std::optional<GzipEnd> pass_block(const GzipInput& in, GzipOutput& out);
  bool pass_trailer(const GzipInput& in, GzipOutput& out);
  void meet_end(const GzipInput& in, GzipOutput& out);
  void meet_damage(const std::string& problem, std::uint64_t offset, GzipOutput& out);
  void take_plain(const std::uint8_t* begin, GzipOutput& out);

  Stage stage_ = Stage::between;
  bool any_member_ = false;
  std::uint64_t bit_ = 0;
  std::size_t window_bytes_ = 0;
  GzipHeader header_;
  DeflateDecoder deflate_;
};

struct GzipVerdict {
  std::string problem;               // in zlib's words
  std::uint64_t consumed_bytes = 0;  // the input that zlib took before it met the problem
  bool is_damage = true;             // false if zlib can decode it
};

/// Lets zlib decode from bit `bit` of `in`, in the state of `deflate` and with `window` before it.
GzipVerdict gzip_second_opinion(const DeflateDecoder& deflate, std::span<const std::byte> in,
                                std::uint64_t bit, std::span<const std::uint8_t> window);

}  // namespace shardmill::codec
