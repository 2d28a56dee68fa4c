// looks_whole: tells whether a file was cut short, from its structure and without decoding it where the
// format allows that.
#pragma once

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

/// True when `file` is of this codec and reaches its proper end. For none it looks for a tar's end blocks;
/// for zstd and lz4 it walks from frame to frame; for gzip, bzip2 and xz it decodes everything. It does not
/// look for damage inside.
bool looks_whole(base::File& file, Codec codec);

}  // namespace shardmill::codec
