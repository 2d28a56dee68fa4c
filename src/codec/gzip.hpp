// gzip, by zlib: for writing, and as a measure of reading. Files are read by gzip/reader.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "codec/codec.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

inline constexpr std::array<std::uint8_t, 2> kGzipMagic{0x1f, 0x8b};

std::unique_ptr<StreamDecoder> make_gzip_decoder();
/// One member, without time, name or system in its header.
std::unique_ptr<Encoder> make_gzip_encoder(int level, Encoder::Output output);

std::string zlib_library_version();

}  // namespace shardmill::codec
