// xz, by liblzma.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

inline constexpr std::array<std::uint8_t, 6> kXzMagic{0xfd, '7', 'z', 'X', 'Z', 0};

std::unique_ptr<StreamDecoder> make_xz_decoder();

/// A whole file, at a low level: for measuring.
std::vector<std::byte> compress_xz(std::span<const std::byte> plain);
std::string liblzma_version();

}  // namespace shardmill::codec
