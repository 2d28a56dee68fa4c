#include "parquet/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "codec/codec.hpp"
#include "parquet/compact.hpp"

namespace shardmill::parquet {

namespace {

using Type = CompactReader::Type;

std::uint32_t checked_number(std::int64_t value) {
  if (value < 0 || value > INT32_MAX) throw Error("has an impossible size");
  return static_cast<std::uint32_t>(value);
}

Encoding checked_encoding(std::int64_t value) {
  constexpr std::int64_t kUnused = 1;
  if (value < 0 || value == kUnused || value > static_cast<std::int64_t>(Encoding::byte_stream_split))
    throw Error(fmt::format("has values in an unknown encoding ({})", value));
  return static_cast<Encoding>(value);
}

/// The member of the header that belongs to its kind of page.
void read_inner(CompactReader& in, Type type, PageKind kind, PageHeader& page) {
  in.fields(type, [&](int field, Type inner) {
    const auto number = [&] { return checked_number(in.integer(inner)); };
    if (field == 1) return void(page.values = number());
    if (kind == PageKind::data_v2) {
      switch (field) {
        case 4:
          return void(page.encoding = checked_encoding(in.integer(inner)));
        case 5:
          return void(page.definition_bytes = number());
        case 6:
          return void(page.repetition_bytes = number());
        case 7:
          return void(page.is_packed = in.truth(inner));
        default:
          return in.skip(inner);
      }
    }
    if (field == 2) return void(page.encoding = checked_encoding(in.integer(inner)));
    if (kind == PageKind::data && field == 3)
      return void(page.definition_encoding = checked_encoding(in.integer(inner)));
    if (kind == PageKind::data && field == 4)
      return void(page.repetition_encoding = checked_encoding(in.integer(inner)));
    in.skip(inner);
  });
}

/// nullopt for a kind of page that is not known here, which readers have to skip.
std::optional<PageKind> kind_of(std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(PageKind::data_v2)) return std::nullopt;
  return static_cast<PageKind>(number);
}

/// Returns the header without its places.
PageHeader parse_header(CompactReader& in) {
  PageHeader page;
  std::optional<PageKind> kind;
  std::optional<PageKind> described;
  bool has_kind = false;
  bool has_sizes[2] = {};
  in.fields([&](int field, Type type) {
    switch (field) {
      case 1:
        kind = kind_of(in.integer(type));
        has_kind = true;
        return;
      case 2:
        page.plain_bytes = checked_number(in.integer(type));
        has_sizes[0] = true;
        return;
      case 3:
        page.packed_bytes = checked_number(in.integer(type));
        has_sizes[1] = true;
        return;
      case 4:
        page.crc = static_cast<std::uint32_t>(in.integer(type));
        return;
      case 5:
        described = PageKind::data;
        return read_inner(in, type, PageKind::data, page);
      case 7:
        described = PageKind::dictionary;
        return read_inner(in, type, PageKind::dictionary, page);
      case 8:
        described = PageKind::data_v2;
        return read_inner(in, type, PageKind::data_v2, page);
      default:
        in.skip(type);
    }
  });
  if (!has_kind || !has_sizes[0] || !has_sizes[1]) throw Error("lacks its kind or its size");
  page.kind = kind.value_or(PageKind::index);
  if (page.kind != PageKind::index && described != kind) throw Error("does not describe its kind of page");
  return page;
}

}  // namespace

PageHeader PageWalk::read_header() const {
  constexpr std::size_t kUsualBytes = 512;
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // some writers copy whole values into it
  const std::uint64_t left = chunk_.begin + chunk_.bytes - at_;
  std::vector<std::byte> bytes;
  for (std::size_t wanted = kUsualBytes;; wanted *= 8) {
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::min(wanted, kMostBytes), left)));
    if (file_->read_at(bytes, at_) != bytes.size()) throw Error("ends too early");
    CompactReader in(bytes);
    try {
      PageHeader page = parse_header(in);
      page.offset = at_;
      page.body_offset = at_ + in.consumed();
      if (page.packed_bytes > left - in.consumed()) throw Error("reaches beyond the end of its column");
      return page;
    } catch (const Error&) {
      if (!in.is_cut() || bytes.size() == left || bytes.size() == kMostBytes) throw;
    }
  }
}

std::optional<PageHeader> PageWalk::next() {
  while (values_ < chunk_.values) {
    try {
      if (at_ >= chunk_.begin + chunk_.bytes)
        throw Error(fmt::format("is missing: the column has {} values up to here, and should have {}",
                                values_, chunk_.values));
      const PageHeader page = read_header();
      if (page.is_data()) {
        if (page.values > chunk_.values - values_) throw Error("has more values than its column");
        values_ += page.values;
      }
      at_ = page.end();
      if (page.kind == PageKind::index) continue;
      if (std::exchange(has_begun_, true) && !page.is_data())
        throw Error("is a dictionary after other pages");
      return page;
    } catch (const Error& error) {
      throw Error("a page " + error.problem(), {.path = file_->path(), .offset = at_});
    }
  }
  return std::nullopt;
}

namespace {

/// Hadoop's frames: for each block both its sizes, highest byte first.
void unpack_hadoop(std::span<const std::byte> packed, std::span<std::byte> plain) {
  const auto take_size = [&] {
    if (packed.size() < 4) throw Error("damaged lz4 data");
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | std::to_integer<std::size_t>(packed[i]);
    packed = packed.subspan(4);
    return size;
  };
  while (!packed.empty()) {
    std::size_t block = take_size();
    if (block > plain.size()) throw Error("damaged lz4 data");
    const std::size_t bytes = take_size();
    if (bytes > packed.size()) throw Error("damaged lz4 data");
    codec::unpack_block(codec::BlockForm::lz4, packed.first(bytes), plain.first(block));
    packed = packed.subspan(bytes);
    plain = plain.subspan(block);
  }
  if (!plain.empty()) throw Error("the block has another size than its header says");
}

codec::BlockForm form_of(Packing packing) {
  switch (packing) {
    case Packing::snappy:
      return codec::BlockForm::snappy;
    case Packing::gzip:
      return codec::BlockForm::gzip;
    case Packing::zstd:
      return codec::BlockForm::zstd;
    case Packing::lz4:
    case Packing::lz4_hadoop:
      return codec::BlockForm::lz4;
    case Packing::brotli:
      throw Error("is compressed with brotli, which is not read", {},
                  "write the file again with zstd or snappy");
    default:
      throw Error("is compressed with LZO, which is not read", {},
                  "write the file again with zstd or snappy");
  }
}

void unpack(Packing packing, std::span<const std::byte> packed, std::span<std::byte> plain) {
  const codec::BlockForm form = form_of(packing);
  if (packing != Packing::lz4_hadoop) return codec::unpack_block(form, packed, plain);
  // Some writers leave the frames out.
  try {
    unpack_hadoop(packed, plain);
  } catch (const Error&) {
    codec::unpack_block(form, packed, plain);
  }
}

PageBody load(const base::File& file, const PageHeader& header, Packing packing) {
  PageBody body;
  if (header.kind == PageKind::data_v2) {
    const std::uint64_t levels = std::uint64_t{header.definition_bytes} + header.repetition_bytes;
    if (levels > header.packed_bytes || levels > header.plain_bytes)
      throw Error("is smaller than its levels");
    body.levels_bytes = static_cast<std::size_t>(levels);
  }
  const bool is_packed = packing != Packing::none && header.is_packed;
  const std::size_t head = body.levels_bytes;  // never packed
  if (!is_packed && header.packed_bytes != header.plain_bytes)
    throw Error("has two sizes, and is not compressed");
  // Before any memory is taken for it.
  if (is_packed && header.plain_bytes - head > codec::most_plain_bytes(form_of(packing), header.packed_bytes))
    throw Error(fmt::format("should unpack {} bytes to {}, which is impossible", header.packed_bytes,
                            header.plain_bytes));
  std::vector<std::byte> packed(header.packed_bytes);
  if (file.read_at(packed, header.body_offset) != packed.size())
    throw Error("ends too early: the file became shorter while it was read");
  if (header.crc && codec::block_crc(packed) != *header.crc)
    throw Error("is damaged: its checksum does not match");
  if (!is_packed) {
    body.bytes = std::move(packed);
    return body;
  }
  body.bytes.resize(header.plain_bytes);
  std::copy_n(packed.begin(), head, body.bytes.begin());
  const auto plain = std::span(body.bytes).subspan(head);
  if (!plain.empty()) unpack(packing, std::span(packed).subspan(head), plain);
  return body;
}

}  // namespace

PageBody load_page(const base::File& file, const PageHeader& header, Packing packing) {
  try {
    return load(file, header, packing);
  } catch (const Error& error) {
    throw Error("a page " + error.problem(), {.path = file.path(), .offset = header.offset}, error.advice());
  }
}

}  // namespace shardmill::parquet
