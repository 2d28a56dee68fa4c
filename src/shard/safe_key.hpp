// Safe names: keys and extensions that every loader reads alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardmill::shard {

inline constexpr std::size_t kMaxKeyBytes = 80;

/// The key under which a sample is written: no dot, slash, backslash, blank or control character (each
/// becomes "_"), no "-sub" (becomes "_sub": NeMo and Lhotse take KEY-sub1 for a part of KEY), valid UTF-8
/// (damage becomes "_" too), never empty, and at most kMaxKeyBytes: a longer one is cut and ends in a hash of
/// the whole. Depends on `source_key` alone; different keys may become the same.
std::string safe_key(std::string_view source_key);

/// Lower-case letters, digits, "-" and "_"; anything else becomes "_".
std::string safe_extension(std::string_view extension);

}  // namespace shardmill::shard
