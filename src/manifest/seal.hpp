// Seals: a hash at the end of a file, so that any later change is found. For files without a checksum in
// another file.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

/// Ends the JSON object that is the whole file, and seals it. `json` must write to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, which names no file, when the text has changed since it was sealed.
void check_seal(const std::string& text);

/// The text of a file that is one record: indented JSON. Its last member, self_xxh3, is the hash of the text
/// with zeros in place of the digits of the hash.
template <typename Record>
std::string sealed_document(const Record& record) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object();
  write_json_fields(json, record);
  end_sealed(json, out);
  return out;
}

/// Throws Error, which names the file, when any byte was changed, or a field is missing or impossible.
template <typename Record>
Record read_sealed(const std::string& path) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    check_seal(text);
    Record record;
    read_json_fields(parser.parse(text), record);
    return record;
  } catch (const Error&) {
    rethrow_at(path);
  }
}

/// Ends an HTML page with a comment that seals it.
void end_sealed_page(std::string& text);
/// False for a page without a seal. Throws Error, which names no file, when the page has changed since it was
/// sealed.
bool check_page_seal(const std::string& text);

}  // namespace shardmill::manifest
