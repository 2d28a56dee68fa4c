// ogg_damage: checks the pages of an Ogg file, because libraries drop a damaged page without a word.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace shardmill::audio {

/// What is wrong with the pages: a wrong checksum, a missing page, bytes between two pages, or an end inside
/// a page. Empty when they are good. A tag may come before the first page, and anything may follow the page
/// that is marked as the last. Thread-safe.
std::string ogg_damage(std::span<const std::byte> ogg);

}  // namespace shardmill::audio
