// List files: whatever they hold gives paths without control characters, or an Error.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "source/file_name.hpp"
#include "source/source_spec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardmill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  base::File file(::memfd_create("list", MFD_CLOEXEC), "list");
  file.write_at(base::as_bytes(text), 0);
  base::LineReader lines(std::move(file));
  try {
    for (const source::ListedPath& listed : source::read_path_list(lines)) {
      if (listed.path.empty() || listed.line == 0 || printable(listed.path) != listed.path) std::abort();
    }
  } catch (const Error&) {
  }
  try {
    const source::SourceSpec spec = source::parse_source(text);
    if (spec.path.empty() || (spec.dataset && spec.dataset->find('/') != std::string::npos)) std::abort();
    if (source::is_pattern(spec.path)) source::fixed_part(spec.path);
  } catch (const Error&) {
  }
  return 0;
}
