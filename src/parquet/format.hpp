// The numbers of the Parquet format: those of parquet.thrift in its specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardmill::parquet {

/// The first and the last bytes of a file.
inline constexpr std::string_view kMagic = "PAR1";

/// Type
enum class Physical : std::uint8_t {
  boolean,
  int32,
  int64,
  int96,
  float32,
  float64,
  byte_array,
  fixed_bytes,
};

/// FieldRepetitionType
enum class Repetition : std::uint8_t { required, optional, repeated };

/// CompressionCodec
enum class Packing : std::uint8_t { none, snappy, gzip, lzo, brotli, lz4_hadoop, zstd, lz4 };

/// PageType
enum class PageKind : std::uint8_t { data, index, dictionary, data_v2 };

enum class Encoding : std::uint8_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary_packed = 5,
  delta_length_byte_array = 6,
  delta_byte_array = 7,
  rle_dictionary = 8,
  byte_stream_split = 9
};

/// ConvertedType::UTF8
inline constexpr std::int32_t kUtf8 = 0;

/// All numbers of the format are little-endian, but for those of decimals and of Hadoop's LZ4.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace shardmill::parquet
