// Records: whatever a line holds is refused with an Error, or gives a record that is written and read back
// the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"

namespace {

template <typename Record>
void check(std::string_view line) {
  shardmill::base::JsonParser parser;
  Record record;
  try {
    read_record(parser.parse(line), record);
  } catch (const shardmill::Error&) {
    return;
  }
  std::string once;
  append_line(once, record);
  if (once.find('\n') != once.size() - 1) std::abort();
  Record again;
  read_record(parser.parse(once), again);
  std::string twice;
  append_line(twice, again);
  if (once != twice) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  check<shardmill::manifest::SampleRecord>(line);
  check<shardmill::manifest::ShardRecord>(line);
  check<shardmill::manifest::Reject>(line);
  return 0;
}
