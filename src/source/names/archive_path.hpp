// Names in archives: as paths of a tree, and what they must not be.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::source {

/// Without "./" at the beginning and in the middle.
std::string plain_path(std::string_view name);

/// True for names that would lead out of the folder where the archive is unpacked.
bool leads_out(std::string_view name);
Error leads_out_error(const std::string& place);

/// True for a path of which a part begins with a dot, as in a folder: macOS puts a "._X.wav" beside each
/// "X.wav", which is no audio.
bool is_hidden(std::string_view path);

Error encrypted_error(const std::string& place);

}  // namespace shardmill::source
