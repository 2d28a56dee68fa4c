// The version of this build.
#pragma once

#include <string_view>

namespace shardmill::base {

/// "0.1.0".
std::string_view version() noexcept;

}  // namespace shardmill::base
