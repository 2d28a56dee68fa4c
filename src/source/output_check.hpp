// What is written must not be read again: an output folder and the sources keep apart.
#pragma once

#include <string>

#include "source/source_set.hpp"

namespace shardmill::source {

/// Throws UsageError when the output folder is, or lies in, a folder that was searched for sources: what is
/// written would be read again.
void check_not_searched(const std::string& output, const SourceSet& sources);
/// The same, and when the output folder holds a source itself: also one that a link, a hard link or a mount
/// shows under another path, since files of the output folder are replaced.
void check_output_folder(const std::string& output, const SourceSet& sources);

}  // namespace shardmill::source
