// The header of a parity file: whatever it holds is refused with an Error, or is what would be written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "manifest/parity_header.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto found = shardmill::manifest::parity_header_in(text);
    if (!text.starts_with(parity_header(found.group, found.parity))) std::abort();
  } catch (const shardmill::Error&) {
    return 0;
  }
  return 0;
}
