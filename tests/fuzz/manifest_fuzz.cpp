// Records: whatever a line holds is refused with an Error, or gives a record that is written and read back
// the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shardmill/base/error.hpp"
#include "shardmill/base/json_reader.hpp"
#include "shardmill/manifest/reject.hpp"
#include "shardmill/manifest/sample_record.hpp"
#include "shardmill/manifest/shard_record.hpp"

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
