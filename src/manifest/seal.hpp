// Seals: a hash at the end of a file of which no other file has a checksum, so that any later change is
// found.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

/// Ends the JSON object that is the whole file, and seals it. `json` must write to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, which names no file, when the text has changed since it was sealed.
void check_seal(const std::string& text);

/// Reads a sealed record with `read`. Throws Error, which names the file, when it has changed or makes no
/// sense.
template <typename Record>
Record read_sealed(const std::string& path, Record (*read)(const base::JsonValue& json)) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    check_seal(text);
    return read(parser.parse(text));
  } catch (const Error& error) {
    throw error.within(at(path));
  }
}

/// Ends an HTML page with a comment that seals it.
void end_sealed_page(std::string& text);
/// False for a page without a seal. Throws Error, which names no file, when the page has changed since it was
/// sealed.
bool check_page_seal(const std::string& text);

}  // namespace shardmill::manifest
