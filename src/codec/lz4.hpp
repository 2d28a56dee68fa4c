// lz4 frames, with liblz4.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "codec/codec.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

inline constexpr std::array<std::uint8_t, 4> kLz4Magic{0x04, 0x22, 0x4d, 0x18};

std::unique_ptr<StreamDecoder> make_lz4_decoder();
/// Writes one frame with a checksum.
std::unique_ptr<Encoder> make_lz4_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                          Encoder::Output output);

std::string liblz4_version();

}  // namespace shardmill::codec
