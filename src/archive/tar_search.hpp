// find_header: finds the next header in damaged data.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace shardmill::archive {

/// The first position in `window` where a whole header lies that can be trusted: its checksum is right, its
/// type is known, and its name and size make sense. Most positions also need the magic of POSIX or GNU tar.
/// On a block boundary (`first_boundary` and every 512 bytes from there, when known) an old v7 header is
/// accepted, too.
std::optional<std::size_t> find_header(std::span<const std::byte> window,
                                       std::optional<std::size_t> first_boundary);

}  // namespace shardmill::archive
