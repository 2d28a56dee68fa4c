// Looking a source file up: where it is, its size and time, or why it cannot be one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "source/source_file.hpp"

namespace shardmill::source {

enum class Empty { refused, allowed };

/// A regular file that may be read, or the Error that says why it is not. `named_at`: the list and line that
/// named it, if any.
std::pair<SourceFile, std::optional<Error>> look_up(const std::string& path, const std::string& named_at = {},
                                                    Empty empty = Empty::refused);

/// Where a path leads that a text file of a raw corpus names: a relative one from the working folder, as
/// Kaldi, WeNet and NeMo take it, and where nothing is found there, from the folder of the text file.
std::string resolve_named(const std::string& text_file, const std::string& path);

}  // namespace shardmill::source
