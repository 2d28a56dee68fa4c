// Shortened text, for messages that repeat what somebody else has written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardmill::base {

/// `text` if it has at most `most_bytes` bytes. Otherwise its beginning and its end with " [...] " between
/// them; UTF-8 sequences stay whole.
std::string shortened(std::string_view text, std::size_t most_bytes);

}  // namespace shardmill::base
