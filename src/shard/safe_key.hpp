// Safe names: keys and extensions that every loader reads in the same way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardmill::shard {

inline constexpr std::size_t kMaxKeyBytes = 80;

/// The key under which a sample is written. Each dot, slash, backslash, blank or control character becomes
/// "_"; "-sub" becomes "_sub", because NeMo and Lhotse take KEY-sub1 for a part of KEY; invalid UTF-8 becomes
/// "_", too. "__" at the beginning becomes "x__", because loaders skip such names. The result is never empty.
/// It has at most kMaxKeyBytes bytes: a longer key is cut and ends with a hash of the whole. Depends only on
/// `source_key`; different keys may become equal.
std::string safe_key(std::string_view source_key);

/// Keeps lower-case letters, digits, "-" and "_"; replaces everything else by "_".
std::string safe_extension(std::string_view extension);

}  // namespace shardmill::shard
