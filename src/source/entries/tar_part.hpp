// TarPart: a tar of an EntryStream, plain or compressed.
#pragma once

#include <memory>

#include "source/entries/part.hpp"

namespace shardmill::source {

std::unique_ptr<Part> open_tar_part(base::File&& file, Nest nest, Collector& collector);

}  // namespace shardmill::source
