// Asks zlib about deflate data that our decoder rejects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codec/gzip/deflate_decoder.hpp"

namespace shardmill::codec {

struct GzipVerdict {
  std::string problem;               // in zlib's words
  std::uint64_t consumed_bytes = 0;  // the input that zlib took before it met the problem
  bool is_damage = true;             // false if zlib can decode it
};

/// Lets zlib decode from bit `bit` of `in`, in the state of `deflate` and with `window` before it.
GzipVerdict gzip_second_opinion(const DeflateDecoder& deflate, std::span<const std::byte> in,
                                std::uint64_t bit, std::span<const std::uint8_t> window);

}  // namespace shardmill::codec
