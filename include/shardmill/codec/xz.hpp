// xz, by liblzma; read only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "shardmill/codec/stream_decoder.hpp"

namespace shardmill::codec {

inline constexpr std::array<std::uint8_t, 6> kXzMagic{0xfd, '7', 'z', 'X', 'Z', 0};

std::unique_ptr<StreamDecoder> make_xz_decoder();

}  // namespace shardmill::codec
