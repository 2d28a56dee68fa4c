// Downloaded archives of any format: memory stays bounded, no path leads out of the tree, and reading ends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "memory_file.hpp"
#include "source/archive_entries.hpp"

namespace {

using namespace shardmill;

void check(const source::ArchiveEntry& entry, std::uint64_t limit) {
  const bool leads_out =
      ("/" + entry.path + "/").find("/../") != std::string::npos || entry.path.starts_with('/');
  if (leads_out || entry.bytes.size() > limit || entry.place.find('!') == std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;
  constexpr int kMostReads = 1000;
  base::File file = testing::memory_file(std::as_bytes(std::span(data, size)));
  const source::EntryOptions options{.wanted = [](std::string_view path) { return path.ends_with(".wav"); },
                                     .limit_bytes = kLimit};
  try {
    const auto entries = source::open_entries(file, options);
    std::vector<source::ArchiveItem> items;
    for (int i = 0; i < kMostReads && entries->read(items); ++i) {
      for (const source::ArchiveItem& item : items) {
        if (const auto* entry = std::get_if<source::ArchiveEntry>(&item)) check(*entry, kLimit);
      }
      items.clear();
    }
  } catch (const Error&) {
  }
  return 0;
}
