#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "archive/container.hpp"
#include "base/error.hpp"
#include "base/io/volumes.hpp"

namespace shardmill::archive {

namespace {

constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::uint32_t kSignature = 0x05054b50;  // of the directory, by whoever made it
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint32_t kSee64 = 0xFFFFFFFF;
constexpr std::uint16_t kSee64Half = 0xFFFF;

class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t at(std::size_t offset, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = size; i > 0; --i)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[offset + i - 1]);
    return value;
  }
  std::uint16_t half(std::size_t offset) const { return static_cast<std::uint16_t>(at(offset, 2)); }
  std::uint32_t word(std::size_t offset) const { return static_cast<std::uint32_t>(at(offset, 4)); }
  std::uint64_t twin(std::size_t offset) const { return at(offset, 8); }

 private:
  std::span<const std::byte> bytes_;
};

[[noreturn]] void refuse(const base::File& zip, const std::string& problem, std::string advice = {}) {
  throw Error(problem, at(zip.path()), std::move(advice));
}

std::vector<std::byte> read_range(const base::File& zip, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> range(bytes);
  if (zip.read_at(range, offset) != bytes) refuse(zip, "became shorter while it was read");
  return range;
}

struct Place {
  std::uint64_t offset = 0;  // of the directory
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;  // no entry has bytes after this
};

Place find_directory(const base::File& zip) {
  constexpr std::uint64_t kMostComment = 0xFFFF;
  const std::uint64_t size = zip.size();
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, kEndBytes + kMostComment + kLocatorBytes);
  const std::uint64_t tail_offset = size - tail_bytes;
  const auto tail = read_range(zip, tail_offset, tail_bytes);
  const Fields fields(tail);
  for (std::size_t end = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; end-- > 0;) {
    if (fields.word(end) != kEnd) continue;
    if (const std::uint16_t disk = fields.half(end + 4); disk != 0 && disk != kSee64Half)
      refuse(zip,
             fmt::format("is the last of {} parts of a zip, and parts of this kind are not read", disk + 1),
             fmt::format("join them first: zip -s 0 {} -O WHOLE.zip", printable(zip.path())));
    Place place{.offset = fields.word(end + 16), .bytes = fields.word(end + 12), .end = tail_offset + end};
    if (end >= kLocatorBytes && fields.word(end - kLocatorBytes) == kEnd64Locator) {
      const std::uint64_t end64 = fields.twin(end - kLocatorBytes + 8);
      if (end64 > size || size - end64 < kEnd64Bytes) break;
      const auto record = read_range(zip, end64, kEnd64Bytes);
      const Fields wide(record);
      if (wide.word(0) != kEnd64) break;
      place = {.offset = wide.twin(48), .bytes = wide.twin(40), .end = end64};
    }
    if (place.offset > size || place.bytes > size - place.offset) break;
    // A comment may be of any length. Whoever cuts a file puts nothing behind its end.
    const std::uint64_t whole = tail_offset + end + kEndBytes + fields.half(end + 20);
    if (whole < size && !base::volumes_of(zip.path()).empty())
      refuse(zip, fmt::format("{} bytes of its parts follow the end of the zip", size - whole),
             "remove the part that does not belong to it");
    return place;
  }
  refuse(zip,
         "is a zip without the directory at its end: it was probably cut" +
             base::words_on_last_volume(zip.path()),
         "download it again");
}

/// Sizes and offsets that do not fit into their fields are in an extra field.
void read_wide(const Fields& fields, std::size_t extra, std::size_t extra_bytes, ZipEntry& entry) {
  const std::size_t end = extra + extra_bytes;
  while (extra + 4 <= end) {
    const std::uint16_t id = fields.half(extra);
    const std::size_t bytes = fields.half(extra + 2);
    std::size_t at = extra + 4;
    const std::size_t next = at + bytes;
    if (next > end) return;
    if (id == 1) {
      for (std::uint64_t* value : {&entry.plain_bytes, &entry.packed_bytes, &entry.offset}) {
        if (*value != kSee64 || at + 8 > next) continue;
        *value = fields.twin(at);
        at += 8;
      }
    }
    extra = next;
  }
}

void check_overlaps(const base::File& zip, const std::vector<ZipEntry>& entries, std::uint64_t end) {
  std::vector<const ZipEntry*> by_place;
  for (const ZipEntry& entry : entries) by_place.push_back(&entry);
  std::sort(by_place.begin(), by_place.end(),
            [](const ZipEntry* a, const ZipEntry* b) { return a->offset < b->offset; });
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    const ZipEntry& entry = *by_place[i];
    const std::uint64_t limit = i + 1 < by_place.size() ? by_place[i + 1]->offset : end;
    const std::uint64_t needed = kLocalBytes + entry.path.size();
    if (entry.offset <= limit && needed <= limit - entry.offset &&
        entry.packed_bytes <= limit - entry.offset - needed)
      continue;
    throw Error("its entries overlap: no program writes such a zip, and it may unpack to any size",
                {.path = zip.path(), .member = entry.path}, "do not use it; download it again");
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const base::File& zip) {
  const Place place = find_directory(zip);
  const auto directory = read_range(zip, place.offset, place.bytes);
  const Fields fields(directory);
  std::vector<ZipEntry> entries;
  for (std::size_t at = 0; at < directory.size();) {
    const std::size_t left = directory.size() - at;
    if (left >= sizeof kSignature && fields.word(at) == kSignature) break;
    if (left < kEntryBytes || fields.word(at) != kEntry)
      refuse(zip, "its directory is damaged", "download it again");
    const std::size_t name_bytes = fields.half(at + 28);
    const std::size_t extra_bytes = fields.half(at + 30);
    const std::size_t next = at + kEntryBytes + name_bytes + extra_bytes + fields.half(at + 32);
    if (next > directory.size()) refuse(zip, "its directory is damaged", "download it again");
    ZipEntry& entry = entries.emplace_back();
    entry.is_encrypted = (fields.half(at + 8) & 1) != 0;
    entry.packed_bytes = fields.word(at + 20);
    entry.plain_bytes = fields.word(at + 24);
    entry.offset = fields.word(at + 42);
    entry.path.assign(reinterpret_cast<const char*>(directory.data()) + at + kEntryBytes, name_bytes);
    read_wide(fields, at + kEntryBytes + name_bytes, extra_bytes, entry);
    at = next;
  }
  check_overlaps(zip, entries, place.offset);
  return entries;
}

}  // namespace shardmill::archive
