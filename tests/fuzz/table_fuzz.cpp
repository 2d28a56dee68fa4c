// Tables that are joined to samples: whatever the file holds gives rows that can be found by their keys and
// make manifest lines, or an Error.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "memory_file.hpp"
#include "source/metadata_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardmill;
  const base::File file = testing::memory_file(std::as_bytes(std::span(data, size)));
  try {
    const source::MetadataTable table("/proc/self/fd/" + std::to_string(file.descriptor()), "");
    base::JsonParser parser;
    for (std::size_t number = 0; number < table.rows(); ++number) {
      const source::MetadataRow row = table.row(number);
      if (row.key.empty() || table.find(row.key) != number) std::abort();
      if (row.facts.find('\n') != std::string::npos) std::abort();
      parser.parse("{" + row.facts + "}");
    }
  } catch (const Error&) {
  }
  return 0;
}
