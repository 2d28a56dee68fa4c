// The numbers that stand for names in the headers and footers of Parquet (parquet.thrift).
#pragma once

#include <cstdint>
#include <string_view>

namespace shardmill::parquet {

inline constexpr std::string_view kMagic = "PAR1";

// Type
inline constexpr std::int32_t kBoolean = 0;
inline constexpr std::int32_t kInt64 = 2;
inline constexpr std::int32_t kDouble = 5;
inline constexpr std::int32_t kByteArray = 6;

// FieldRepetitionType, ConvertedType, CompressionCodec, PageType
inline constexpr std::int32_t kOptional = 1;
inline constexpr std::int32_t kUtf8 = 0;
inline constexpr std::int32_t kUncompressed = 0;
inline constexpr std::int32_t kDataPage = 0;

// Encoding
inline constexpr std::int32_t kPlain = 0;
inline constexpr std::int32_t kRunLengths = 3;

}  // namespace shardmill::parquet
