// bzip2, by libbz2: what everybody else decodes with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

std::unique_ptr<StreamDecoder> make_bzip2_library_decoder();

/// A whole file of blocks of 900 kB: for measuring. Less than 4 GB at once.
std::vector<std::byte> compress_bzip2(std::span<const std::byte> plain);
std::string libbz2_version();

}  // namespace shardmill::codec
