// Records as lines of JSON and back.
#pragma once

#include <string>

#include "base/text/json_reader.hpp"

namespace shardmill::manifest {

template <typename Record>
std::string line_of(const Record& record) {
  std::string out;
  append_line(out, record);
  return out;
}

template <typename Record>
Record read_back(const std::string& line) {
  Record record;
  base::JsonParser parser;
  read_record(parser.parse(line), record);
  return record;
}

}  // namespace shardmill::manifest
