// Free space: whether what is going to be written has room, asked before the work and not after hours of it.
#pragma once

#include <cstdint>
#include <string>

#include "repack/plan.hpp"

namespace shardmill::repack {

/// What a run needs at most at one time, scratch files included, as far as the estimate tells. `threads`
/// shards are compressed at a time.
std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads);

/// About how large a shard will be in another compression; 0 where it cannot be read.
std::uint64_t converted_bytes(const std::string& shard, codec::Codec codec);

/// Whether the filesystem of `folder` has room for whatever may become of audio of so many bytes, without a
/// look at it. False where that cannot be told.
bool has_plenty_of_room(const std::string& folder, std::uint64_t source_bytes);

/// Throws Error, with both figures, when the filesystem of `folder` has less free than `needed_bytes`. The
/// folder need not be there yet. `have_bytes` of it are written already.
void check_free_space(const std::string& folder, std::uint64_t needed_bytes, std::uint64_t have_bytes = 0);

/// Of all files in a folder and below; 0 where there is none.
std::uint64_t bytes_below(const std::string& folder);

}  // namespace shardmill::repack
