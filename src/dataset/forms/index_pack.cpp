#include "dataset/forms/index_pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "dataset/summed_file.hpp"
#include "shard/plain_walk.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kPackMagic = "IDXPACK2";
constexpr std::uint32_t kPackVersion = 2;
constexpr std::uint32_t kHeaderBytes = 256;
constexpr std::uint64_t kCollectionBytes = 72;
constexpr std::uint64_t kSequenceBytes = 16;
constexpr std::uint64_t kSegmentBytes = 56;
constexpr std::uint64_t kPlaceBytes = 8;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = crc_table();

/// The CRC-32 of zlib.
std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) crc = kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  return ~crc;
}

void append_half(std::string& out, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

void append_places(std::string& out, std::initializer_list<std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) append_place(out, number);
}

/// As json.dumps() of Python with ensure_ascii=False: keys are hashes of this text.
std::string python_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string digest_text(const base::Sha256& hash) {
  const base::Sha256::Digest digest = hash.digest();
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Each text once, one after the other.
class StringTable {
 public:
  /// The place of the text in bytes().
  std::uint64_t add(const std::string& text) {
    const auto [found, is_new] = places_.try_emplace(text, bytes_.size());
    if (is_new) bytes_ += text;
    return found->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::map<std::string, std::uint64_t> places_;
};

/// Which collections with which files the pack has; a reader may insist on it.
std::string layout_hash(const IndexPack& pack) {
  base::Sha256 hash;
  const auto add = [&](std::string_view text) { hash.update(base::as_bytes(text)); };
  for (const PackedCollection& collection : pack) {
    std::string head = collection_key(collection);
    head += '\1';  // it has places
    append_place(head, collection.files.size());
    add(head);
    for (const PackedFile& file : collection.files) {
      std::string length;
      append_place(length, file.path.size());
      add(length);
      add(file.path);
    }
  }
  return digest_text(hash);
}

/// Everything before the places of the files.
std::string catalog_of(const IndexPack& pack) {
  StringTable strings;
  std::string collections;
  std::string sequences;
  std::uint64_t files = 0;
  for (const PackedCollection& collection : pack) files += collection.files.size();
  const std::uint64_t sequences_at = kHeaderBytes + pack.size() * kCollectionBytes;
  const std::uint64_t segments_at = sequences_at + files * kSequenceBytes;
  const std::uint64_t strings_at = segments_at + files * kSegmentBytes;
  std::uint64_t segment = 0;
  for (const PackedCollection& collection : pack) {
    const std::uint64_t first = segment;
    std::uint64_t records = 0;
    for (const PackedFile& file : collection.files) {
      records += file.places.size() - 1;
      append_places(sequences, {segment++, records});
    }
    collections += collection_key(collection);
    append_places(collections,
                  {first, collection.files.size(), records, strings_at + strings.add(collection.kind)});
    append_half(collections, static_cast<std::uint32_t>(collection.kind.size()));
    append_half(collections, 0);
  }
  for (const PackedCollection& collection : pack) {
    for (const PackedFile& file : collection.files) strings.add(file.path);
  }
  const std::uint64_t places_at =
      (strings_at + strings.bytes().size() + kPlaceBytes - 1) / kPlaceBytes * kPlaceBytes;
  std::string segments;
  std::uint64_t place = places_at;
  for (const PackedCollection& collection : pack) {
    for (const PackedFile& file : collection.files) {
      const std::string text = idx_text(file.places);
      append_places(segments, {strings_at + strings.add(file.path), place});
      append_half(segments, static_cast<std::uint32_t>(file.path.size()));
      append_half(segments, 0);
      append_places(segments, {file.places.size(), file.places.back(), text.size()});
      append_half(segments, crc32_of(text));
      append_half(segments, 0);
      place += text.size();
    }
  }
  std::string out(kPackMagic);
  append_half(out, kPackVersion);
  append_half(out, kHeaderBytes);
  append_places(out, {kHeaderBytes, pack.size(), sequences_at, files, segments_at, files, strings_at,
                      strings.bytes().size(), places_at, place - places_at});
  out += layout_hash(pack);
  out.resize(kHeaderBytes);
  out += collections + sequences + segments + strings.bytes();
  out.resize(places_at);
  return out;
}

}  // namespace

std::string collection_key(const PackedCollection& collection) {
  base::Sha256 hash;
  hash.update(base::as_bytes(fmt::format(R"({{"kind":{},"role":{},"source_spec":{}}})",
                                         python_string(collection.kind), python_string(collection.role),
                                         python_string(collection.source_spec))));
  return digest_text(hash);
}

void write_pack(const IndexPack& pack, const std::function<void(std::string_view)>& use) {
  use(catalog_of(pack));
  for (const PackedCollection& collection : pack) {
    for (const PackedFile& file : collection.files) use(idx_text(file.places));
  }
}

manifest::Checksum write_pack_file(const std::string& folder, std::string_view name, const IndexPack& pack) {
  SummedFile file(folder, std::string(name));
  write_pack(pack, [&](std::string_view bytes) { file.write(bytes); });
  return file.commit();
}

void check_pack_file(const DatasetRecords& records, std::string_view name, const IndexPack& pack,
                     FindingList& findings) {
  const std::string path = records.path(name);
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return;
  }
  try {
    const base::File file = base::File::open_read(path);
    std::uint64_t offset = 0;
    bool is_same = true;
    std::string found;
    write_pack(pack, [&](std::string_view wanted) {
      if (!is_same) return;
      found.resize(wanted.size());
      const std::size_t got = file.read_at(std::as_writable_bytes(std::span(found)), offset);
      is_same = got == wanted.size() && found == wanted;
      offset += got;
    });
    if (!is_same || file.size() != offset)
      findings.add_cause(at(path), "does not fit the shards, the manifests and data.list");
  } catch (const Error& error) {
    findings.add_cause(error);
  }
}

namespace {

/// False where one of the files is missing.
bool is_older(const std::string& index, const std::string& data) {
  std::error_code failure;
  const auto index_time = std::filesystem::last_write_time(index, failure);
  if (failure) return false;
  const auto data_time = std::filesystem::last_write_time(data, failure);
  return !failure && index_time < data_time;
}

}  // namespace

void append_place(std::string& out, std::uint64_t place) {
  for (unsigned shift = 0; shift < 64; shift += 8) out += static_cast<char>(place >> shift & 0xff);
}

std::string idx_text(const std::vector<std::uint64_t>& places) {
  std::string out;
  out.reserve(8 * places.size());
  for (const std::uint64_t place : places) append_place(out, place);
  return out;
}

std::vector<std::uint64_t> places_in(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  const std::string text = base::read_text(path, kMostBytes);
  if (text.empty() || text.size() % sizeof(std::uint64_t) != 0)
    throw Error("is not an index: its size is not that of a list of numbers", at(path));
  std::vector<std::uint64_t> places;
  places.reserve(text.size() / sizeof(std::uint64_t));
  for (std::size_t begin = 0; begin < text.size(); begin += sizeof(std::uint64_t)) {
    std::uint64_t place = 0;
    for (std::size_t byte = sizeof place; byte-- > 0;)
      place = place << 8 | static_cast<unsigned char>(text[begin + byte]);
    places.push_back(place);
  }
  return places;
}

std::string idx_name(std::string_view file_name) {
  return std::string(file_name) + ".idx";
}

std::vector<std::uint64_t> line_places(const std::string& path, base::Reporter& reporter) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 20;
  std::string text(kReadBytes, '\0');
  std::vector<std::uint64_t> places{0};
  base::File file = base::File::open_read(path);
  std::uint64_t begin = 0;
  for (;;) {
    reporter.check_stop();
    const std::size_t got = file.read(std::as_writable_bytes(std::span(text)));
    if (got == 0) break;
    const std::string_view part(text.data(), got);
    for (std::size_t at = part.find('\n'); at != std::string_view::npos; at = part.find('\n', at + 1))
      places.push_back(begin + at + 1);
    begin += got;
  }
  if (places.back() != begin) places.push_back(begin);
  return places;
}

std::vector<std::uint64_t> sample_places_in(const std::string& path) {
  const base::File tar = base::File::open_read(path);
  std::vector<std::uint64_t> places;
  for (const ShardLayout::Sample& sample : shard::layout_of(tar).samples)
    places.push_back(sample.header_offset);
  places.push_back(tar.size());
  return places;
}

std::vector<std::string> beside(const std::vector<std::string>& names, std::string_view sign,
                                std::string_view pack) {
  if (std::find(names.begin(), names.end(), sign) == names.end()) return {};
  return {std::string(pack)};
}

void note_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files,
                        std::string_view form, FindingList& findings) {
  for (const IndexedFile& file : files) {
    if (!is_older(records.path(file.index), records.path(file.data))) continue;
    findings.note(at(records.path(file.index)),
                  fmt::format("is older than {}, and Lhotse's index packs refuse that: 'shardmill index {} "
                              "--index {}' or touch gives it the time of now",
                              file.data, base::shell_quoted(records.folder), form));
  }
}

void refresh_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files) {
  for (const IndexedFile& file : files) {
    if (!is_older(records.path(file.index), records.path(file.data))) continue;
    std::error_code failure;  // ignored: verify notes an index that stays older
    std::filesystem::last_write_time(records.path(file.index), std::filesystem::file_time_type::clock::now(),
                                     failure);
  }
}

}  // namespace shardmill::dataset
