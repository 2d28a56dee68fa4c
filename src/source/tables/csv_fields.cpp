#include "source/tables/csv_fields.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text/letters.hpp"

namespace shardmill::source {

namespace {

/// The content of a field that begins with a quote, which is taken off with it.
std::string quoted_field(std::string_view& rest) {
  std::string field;
  for (;;) {
    rest.remove_prefix(1);
    const std::size_t end = rest.find('"');
    if (end == std::string_view::npos) throw Error("a quote is opened and not closed");
    field += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
  }
  const std::size_t next = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (next < rest.size() && rest[next] != ',')
    throw Error("a field goes on behind its closing quote", {}, "a quote inside of a field is doubled");
  rest.remove_prefix(next);
  return field;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view record) {
  std::vector<std::string> fields;
  for (;;) {
    record.remove_prefix(std::min(record.find_first_not_of(" \t"), record.size()));
    if (record.starts_with('"')) {
      fields.push_back(quoted_field(record));
    } else {
      const std::size_t end = std::min(record.find(','), record.size());
      fields.emplace_back(base::trimmed(record.substr(0, end), " \t"));
      record.remove_prefix(end);
    }
    if (record.empty()) return fields;
    record.remove_prefix(1);
  }
}

}  // namespace shardmill::source
