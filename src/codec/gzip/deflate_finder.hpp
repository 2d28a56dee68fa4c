// Finds apparent starts of deflate blocks without knowing the data before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace shardmill::codec {

struct DeflateStart {
  std::uint64_t bit = 0;
  /// A gzip header ends here: no distance reaches back before it.
  bool begins_member = false;
};

/// The first apparent start, from bit 0 to `limit_bit` of `in`, of a gzip member, or of a block that is not
/// the last and has its own codes or is stored. The header of a stored block may lie at several bits with the
/// same meaning; the last of them counts. Blocks without their own codes and last blocks cannot be recognised
/// and are skipped. The result may be wrong.
std::optional<DeflateStart> find_deflate_start(std::span<const std::byte> in, std::uint64_t limit_bit);

/// True if a stored block with its header at either of these bits is the same block.
bool same_deflate_start(std::span<const std::byte> in, std::uint64_t true_bit, std::uint64_t found_bit);

}  // namespace shardmill::codec
