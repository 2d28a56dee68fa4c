// GzipDecoder: a file of gzip members to plain bytes, in as many parts as one likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/binary.hpp"
#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

/// Some bytes of a file.
struct GzipInput {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // of the first
  bool last = false;         // the file ends with them
};

/// Plain bytes that stand in a row within one member; what their checksum must be is known where it ends.
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

/// What is wrong, and where.
struct GzipDamage {
  std::string problem;
  std::string advice{};
  std::uint64_t offset = 0;
};

/// Takes the plain bytes, and what is told about them.
struct GzipOutput {
  std::uint8_t* next = nullptr;  // the window stands before it
  std::uint8_t* end = nullptr;
  std::vector<GzipStretch> stretches{GzipStretch{}};
  std::optional<GzipDamage> damage{};
  std::optional<std::uint64_t> garbage_offset{};  // where that begins which is no member
};

enum class GzipEnd {
  input,  // all of it is decoded, but for the beginning of what is longer
  room,   // there is none left
  block,  // one begins at or after the wanted place
};

/// One thread at a time. Its window, the last bytes of the member it is in, is its caller's to keep.
class GzipDecoder {
 public:
  /// At the start of a file.
  GzipDecoder() = default;
  /// Where a block begins, in a member that has given so many bytes of window.
  GzipDecoder(std::uint64_t bit, DeflateDecoder deflate, std::size_t window_bytes);

  /// Decodes what it has not decoded of `in`, which must begin at or before bit(). Stops where a block begins
  /// at or after bit `stop_bit`, and at bit `wanted_bit` when one begins there. After damage, everything
  /// else is passed over.
  GzipEnd decode(const GzipInput& in, std::uint64_t stop_bit, std::uint64_t wanted_bit, GzipOutput& out);

  /// What comes next, counted over the whole file.
  std::uint64_t bit() const noexcept { return bit_; }
  /// Whether the block comes next that find_deflate_start() found at this bit.
  bool is_at(const GzipInput& in, std::uint64_t bit) const;
  bool at_block() const noexcept { return stage_ == Stage::blocks && !deflate_.inside_block(); }
  std::size_t window_bytes() const noexcept { return window_bytes_; }
  /// The last block of the member has just ended.
  void end_member() noexcept;
  void set_window_bytes(std::size_t bytes) noexcept { window_bytes_ = bytes; }
  /// Nothing more will be decoded.
  void give_up() noexcept { stage_ = Stage::over; }

  /// For another decoder to go on from, with the same window.
  void save(base::BinaryWriter& out) const;
  void restore(base::BinaryReader& in);

 private:
  enum class Stage : std::uint8_t {
    between,
    header,
    blocks,
    trailer,
    over
  };  // the numbers stand in journals

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

}  // namespace shardmill::codec
