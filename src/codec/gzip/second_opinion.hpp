// What zlib says of deflate data that we cannot decode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codec/gzip/deflate_decoder.hpp"

namespace shardmill::codec {

struct GzipVerdict {
  std::string problem;               // in zlib's words
  std::uint64_t consumed_bytes = 0;  // of the input, by zlib, until it met the problem
  bool is_damage = true;             // zlib cannot decode it either
};

/// Judges what comes next at bit `bit` of `in`, where `deflate` is, with `window` before it.
GzipVerdict gzip_second_opinion(const DeflateDecoder& deflate, std::span<const std::byte> in,
                                std::uint64_t bit, std::span<const std::uint8_t> window);

}  // namespace shardmill::codec
