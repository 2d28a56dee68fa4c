// A seal: the hash of a JSON file as the last member in it, where no other file has its checksum: whatever
// changes it afterwards is found.
#pragma once

#include <string>

#include "shardmill/base/json_writer.hpp"

namespace shardmill::manifest {

/// Ends the object that is the whole file, and seals it. `json` writes to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, without a place, when the text is not as it was sealed.
void check_seal(const std::string& text);

}  // namespace shardmill::manifest
