#include "codec/xz/blocks.hpp"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "codec/xz/problem.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 20;  // their list takes 50 MB
// The time that liblzma takes for the indexes of many streams grows with the square of their number. Where so
// many seeks show that the streams are tiny, the file is read in order.
constexpr unsigned kSeeksEnough = 100;
constexpr std::uint64_t kTinyBytes = std::uint64_t{64} << 10;  // from one seek to the next

/// Frees what liblzma allocated for a stream.
struct Stream {
  Stream() = default;
  ~Stream() { lzma_end(&lzma); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  lzma_stream lzma = LZMA_STREAM_INIT;
};

struct IndexDeleter {
  void operator()(lzma_index* index) const { lzma_index_end(index, nullptr); }
};
using Index = std::unique_ptr<lzma_index, IndexDeleter>;

/// The indexes of all streams, joined to one; null when they cannot be read, or when there are too many
/// streams.
Index read_index(const base::File& file) {
  Stream stream;
  lzma_index* index = nullptr;
  const std::uint64_t file_bytes = file.size();
  if (lzma_file_info_decoder(&stream.lzma, &index, kXzMemoryLimitBytes, file_bytes) != LZMA_OK) {
    throw std::bad_alloc();
  }
  std::array<std::byte, kReadBytes> bytes{};
  std::uint64_t offset = 0;
  unsigned seeks = 0;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    if (stream.lzma.avail_in == 0) {
      const std::size_t got = file.read_at(bytes, offset);
      if (got == 0) return nullptr;
      offset += got;
      stream.lzma.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
      stream.lzma.avail_in = got;
    }
    status = lzma_code(&stream.lzma, LZMA_RUN);
    if (status == LZMA_SEEK_NEEDED) {
      offset = stream.lzma.seek_pos;
      if (++seeks > kSeeksEnough && (file_bytes - offset) / seeks < kTinyBytes) return nullptr;
      stream.lzma.avail_in = 0;
      status = LZMA_OK;
    }
  }
  return status == LZMA_STREAM_END ? Index(index) : nullptr;
}

/// The filters of a block, with the options that liblzma allocates for each.
struct Filters {
  Filters() { list.fill({.id = LZMA_VLI_UNKNOWN, .options = nullptr}); }
  ~Filters() { lzma_filters_free(list.data(), nullptr); }
  Filters(const Filters&) = delete;
  Filters& operator=(const Filters&) = delete;

  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> list{};
};

/// Reads the header of a block, and sets up its decoder. LZMA_OK, or why that does not work.
lzma_ret begin(Stream& stream, lzma_block& header, Filters& filters, const XzBlock& block,
               std::span<const std::uint8_t> in, std::uint64_t& needed_bytes) {
  header.version = 1;
  header.check = static_cast<lzma_check>(block.check);
  header.filters = filters.list.data();
  if (in.empty() || in.front() == 0) return LZMA_DATA_ERROR;
  header.header_size = lzma_block_header_size_decode(in.front());
  if (header.header_size > in.size()) return LZMA_DATA_ERROR;
  if (const lzma_ret status = lzma_block_header_decode(&header, nullptr, in.data()); status != LZMA_OK) {
    return status;
  }
  // With the sizes of the index, the decoder finds a block that is not as large as the index says.
  if (const lzma_ret status = lzma_block_compressed_size(&header, block.unpadded_bytes); status != LZMA_OK) {
    return status;
  }
  if (header.uncompressed_size == LZMA_VLI_UNKNOWN) header.uncompressed_size = block.plain_bytes;
  if (header.uncompressed_size != block.plain_bytes) return LZMA_DATA_ERROR;
  if (lzma_check_is_supported(header.check) == 0) return LZMA_UNSUPPORTED_CHECK;
  needed_bytes = lzma_raw_decoder_memusage(header.filters);
  if (needed_bytes > kXzMemoryLimitBytes && needed_bytes != UINT64_MAX) return LZMA_MEMLIMIT_ERROR;
  return lzma_block_decoder(&stream.lzma, &header);
}

}  // namespace

XzBlocks list_xz_blocks(const base::File& file) {
  const Index index = read_index(file);
  if (!index || lzma_index_block_count(index.get()) > kMostBlocks) return {};
  XzBlocks all{.blocks = {}, .streams = lzma_index_stream_count(index.get())};
  lzma_index_iter place;
  lzma_index_iter_init(&place, index.get());
  while (!lzma_index_iter_next(&place, LZMA_INDEX_ITER_BLOCK)) {
    all.blocks.push_back({.offset = place.block.compressed_file_offset,
                          .bytes = place.block.total_size,
                          .unpadded_bytes = place.block.unpadded_size,
                          .plain_bytes = place.block.uncompressed_size,
                          .stream = place.stream.number,
                          .check = place.stream.flags->check});
  }
  return all;
}

XzPlain decode_xz_block(const XzBlock& block, std::span<const std::byte> compressed) {
  XzPlain plain{.bytes = std::make_unique_for_overwrite<std::byte[]>(block.plain_bytes),
                .size = 0,
                .problem = {},
                .advice = {}};
  const std::span in(reinterpret_cast<const std::uint8_t*>(compressed.data()), compressed.size());
  Stream stream;
  Filters filters;
  lzma_block header{};
  std::uint64_t needed_bytes = 0;
  lzma_ret status = begin(stream, header, filters, block, in, needed_bytes);
  if (status == LZMA_OK) {
    const auto body = in.subspan(header.header_size);
    stream.lzma.next_in = body.data();
    stream.lzma.avail_in = body.size();
    stream.lzma.next_out = reinterpret_cast<std::uint8_t*>(plain.bytes.get());
    stream.lzma.avail_out = block.plain_bytes;
    status = lzma_code(&stream.lzma, LZMA_FINISH);
    plain.size = block.plain_bytes - stream.lzma.avail_out;
    if (status == LZMA_OK || status == LZMA_BUF_ERROR) status = LZMA_DATA_ERROR;  // it does not end
  }
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  auto [text, advice] = xz_problem(status, needed_bytes);
  if (!text.empty()) plain.size = 0;  // nobody knows which of its bytes are right
  plain.problem = std::move(text);
  plain.advice = std::move(advice);
  return plain;
}

}  // namespace shardmill::codec
