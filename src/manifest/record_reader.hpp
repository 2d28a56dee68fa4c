// RecordReader: reads the records of a JSON-lines file strictly, one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"

namespace shardmill::manifest {

/// Works for every record that has a read_record(). Errors name the file and the line. One thread at a time.
class RecordReader {
 public:
  explicit RecordReader(const std::string& path) : lines_(path) {}

  /// Fills `record`; false at the end of the file. Using the same record again saves allocations.
  template <typename Record>
  bool next(Record& record) {
    std::string_view line;
    if (!next_line(line)) return false;
    try {
      read_record(parser_.parse(line), record);
    } catch (const Error& error) {
      throw lines_.here(error);
    }
    return true;
  }

  /// The line of the record that next() gave last, from 1.
  std::uint64_t line_number() const noexcept { return lines_.line_number(); }

 private:
  /// Throws Error for a last line without an end, because then the file was cut.
  bool next_line(std::string_view& line) {
    if (!lines_.next(line)) return false;
    if (!lines_.line_was_ended()) throw lines_.here(Error("has no end: the file was cut"));
    return true;
  }

  base::LineReader lines_;
  base::JsonParser parser_;
};

}  // namespace shardmill::manifest
