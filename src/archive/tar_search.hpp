// Finding the next header in damaged data.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace shardmill::archive {

/// The first position in `window` where a whole header lies that can be trusted: right checksum, a known
/// type, a name and a size that make sense. Anywhere it must carry the magic of POSIX or GNU tar; on a block
/// boundary
/// (`first_boundary` and every 512 bytes on, when known) an old v7 header will do.
std::optional<std::size_t> find_header(std::span<const std::byte> window,
                                       std::optional<std::size_t> first_boundary);

}  // namespace shardmill::archive
