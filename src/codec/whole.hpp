// looks_whole: whether a file was cut short, told from its structure without decoding it where the format
// allows.
#pragma once

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

/// True when `file` is of this codec and reaches its proper end: for none, a tar's end blocks; for zstd and
/// lz4, the walk from frame to frame; for gzip, bzip2 and xz, a full decode. Damage inside is not looked for.
bool looks_whole(base::File& file, Codec codec);

}  // namespace shardmill::codec
