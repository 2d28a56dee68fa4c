// Where a deflate block seems to begin, for those who know nothing of what comes before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace shardmill::codec {

struct DeflateStart {
  std::uint64_t bit = 0;
  /// A gzip header ends here: nothing before it can be referred to.
  bool begins_member = false;
};

/// The first place from bit 0 to `limit_bit` of `in` where a gzip member begins, or a block that brings its
/// own codes or is stored and is not the last. Of a stored block's header only the last place counts that it
/// can have: all earlier ones mean the same. Blocks without codes of their own and last blocks look like
/// anything and are passed over. A place may be none.
std::optional<DeflateStart> find_deflate_start(std::span<const std::byte> in, std::uint64_t limit_bit);

/// A stored block whose header is at either of these bits is the same one, if it is a stored block at all.
bool same_deflate_start(std::span<const std::byte> in, std::uint64_t true_bit, std::uint64_t found_bit);

}  // namespace shardmill::codec
