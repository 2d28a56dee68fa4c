// The version of the library.
#pragma once

#include <string_view>

namespace shardmill {

/// "MAJOR.MINOR.PATCH", as semantic versioning has it.
std::string_view version() noexcept;

}  // namespace shardmill
