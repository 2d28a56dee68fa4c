// bzip2, by libbz2: what everybody else decodes with.
#pragma once

#include <memory>

#include "shardmill/codec/stream_decoder.hpp"

namespace shardmill::codec {

std::unique_ptr<StreamDecoder> make_bzip2_library_decoder();

}  // namespace shardmill::codec
