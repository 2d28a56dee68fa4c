// What follows the audio in a file: chunks and tags, which programs know and skip, or other bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "audio/byte_view.hpp"

namespace shardmill::audio {

/// Of a chunk: its name and its size.
inline constexpr std::size_t kChunkHeaderBytes = 8;

enum class ByteOrder { little, big };

struct Trailer {
  std::uint64_t unexplained_bytes = 0;  // at the end of the file: neither chunks nor tags nor padding
  bool begins_with_chunk = false;
  bool has_data = false;  // one of the chunks is another "data"
};

/// 0 if `rest`, the end of a file, is nothing but zeros or a tag (ID3 or APE); otherwise its size.
std::uint64_t unexplained_bytes(ByteView rest);

/// Examines the bytes of a chunked file (WAV, AIFF) after a chunk whose content ends at `end`. `order`: of
/// the sizes of its chunks. `end` may be beyond the end of the file.
Trailer trailer_of(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order);

}  // namespace shardmill::audio
