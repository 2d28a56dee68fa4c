// zstd, by libzstd.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "codec/codec.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

inline constexpr std::array<std::uint8_t, 4> kZstdMagic{0x28, 0xb5, 0x2f, 0xfd};

std::unique_ptr<StreamDecoder> make_zstd_decoder();
/// One frame with a checksum.
std::unique_ptr<Encoder> make_zstd_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                           Encoder::Output output);
/// Independent frames and a seek table, in the zstd seekable format.
std::unique_ptr<Encoder> make_seekable_zstd_encoder(int level, Encoder::Output output);
/// What either holds while it works.
std::uint64_t zstd_encoder_bytes(int level);

std::string libzstd_version();

}  // namespace shardmill::codec
