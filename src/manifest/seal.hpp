// Seals: a hash at the end of a file of which no other file has a checksum, so that any later change is
// found.
#pragma once

#include <string>

#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

/// Ends the JSON object that is the whole file, and seals it. `json` must write to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, which names no file, when the text has changed since it was sealed.
void check_seal(const std::string& text);

/// Ends an HTML page with a comment that seals it.
void end_sealed_page(std::string& text);
/// False for a page without a seal. Throws Error, which names no file, when the page has changed since it was
/// sealed.
bool check_page_seal(const std::string& text);

}  // namespace shardmill::manifest
