#include "manifest/record_reader.hpp"

namespace shardmill::manifest {

bool RecordReader::next_line(std::string_view& line) {
  if (!lines_.next(line)) return false;
  if (!lines_.line_was_ended()) throw lines_.here(Error("has no end: the file was cut"));
  return true;
}

}  // namespace shardmill::manifest
