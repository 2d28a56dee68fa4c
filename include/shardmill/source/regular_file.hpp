// Looking a source file up: its size and time, or why it cannot be one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "shardmill/base/error.hpp"
#include "shardmill/source/source_file.hpp"

namespace shardmill::source {

/// A regular file that is not empty and may be read, or the Error that says why it is not. `named_at`: the
/// list and line that named it, if any.
std::pair<SourceFile, std::optional<Error>> look_up(const std::string& path,
                                                    const std::string& named_at = {});

}  // namespace shardmill::source
