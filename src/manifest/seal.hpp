// A seal: the hash of a file in its last line, in JSON as the last member, where no other file has its
// checksum: whatever changes it afterwards is found.
#pragma once

#include <string>

#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

/// Ends the object that is the whole file, and seals it. `json` writes to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, without a place, when the text is not as it was sealed.
void check_seal(const std::string& text);

/// Ends an HTML page with a comment that seals it.
void end_sealed_page(std::string& text);
/// False for a page without a seal. Throws Error, without a place, when the page is not as it was sealed.
bool check_page_seal(const std::string& text);

}  // namespace shardmill::manifest
