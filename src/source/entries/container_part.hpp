// ContainerPart: a zip, a 7z or whatever else libarchive knows, of an EntryStream.
#pragma once

#include <memory>

#include "source/entries/part.hpp"

namespace shardmill::source {

std::unique_ptr<Part> open_container_part(base::File&& file, Nest nest, Collector& collector);

}  // namespace shardmill::source
