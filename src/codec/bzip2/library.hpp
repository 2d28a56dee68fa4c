// bzip2 with libbz2, the library that everybody else decodes with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

std::unique_ptr<StreamDecoder> make_bzip2_library_decoder();

/// Compresses a whole file with blocks of 900 kB, for measurements. `plain` must be smaller than 4 GB.
std::vector<std::byte> compress_bzip2(std::span<const std::byte> plain);
std::string libbz2_version();

}  // namespace shardmill::codec
