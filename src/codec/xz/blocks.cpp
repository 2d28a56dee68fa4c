#include "codec/xz/blocks.hpp"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <utility>

#include "codec/formats.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kPaddingReadBytes = 4096;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 20;  // their list takes 50 MB
constexpr std::uint64_t kMostIndexBytes = kMostBlocks * 18 + 32;
// The time that liblzma takes to join the indexes of many streams grows with the square of their number. A
// file of many tiny streams is read in order.
constexpr std::uint64_t kStreamsEnough = 100;
constexpr std::uint64_t kTinyBytes = std::uint64_t{64} << 10;

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

bool read_exactly(const base::File& file, std::span<std::uint8_t> into, std::uint64_t offset) {
  return file.read_at(std::as_writable_bytes(into), offset) == into.size();
}

/// The end of the last stream before `end`, without the zeros after it.
std::uint64_t without_padding(const base::File& file, std::uint64_t end) {
  std::array<std::uint8_t, kPaddingReadBytes> bytes{};
  while (end > 0) {
    const std::span some = std::span(bytes).first(std::min<std::uint64_t>(end, bytes.size()));
    if (!read_exactly(file, some, end - some.size())) return 0;
    const auto zeros = static_cast<std::uint64_t>(
        std::find_if(some.rbegin(), some.rend(), [](std::uint8_t byte) { return byte != 0; }) -
        some.rbegin());
    end -= zeros;
    if (zeros < some.size()) break;
  }
  return end;
}

/// Reads the index of the stream that ends at `end`, and sets `end` to the start of the stream. Returns null
/// if there is no index. Reads the file backwards by hand, because liblzma before 5.4 has no function for it.
Index index_of_stream_before(const base::File& file, std::uint64_t& end) {
  constexpr std::uint64_t kHeaderBytes = LZMA_STREAM_HEADER_SIZE;  // of the footer, too
  std::array<std::uint8_t, kHeaderBytes> bytes{};
  lzma_stream_flags footer{};
  lzma_stream_flags header{};
  if (end < 2 * kHeaderBytes || !read_exactly(file, bytes, end - kHeaderBytes) ||
      lzma_stream_footer_decode(&footer, bytes.data()) != LZMA_OK ||
      footer.backward_size > std::min(kMostIndexBytes, end - 2 * kHeaderBytes))
    return nullptr;
  const std::uint64_t index_offset = end - kHeaderBytes - footer.backward_size;
  std::vector<std::uint8_t> coded(footer.backward_size);
  if (!read_exactly(file, coded, index_offset)) return nullptr;
  lzma_index* decoded = nullptr;
  std::uint64_t memory_limit = kXzMemoryLimitBytes;
  std::size_t used = 0;
  const lzma_ret status =
      lzma_index_buffer_decode(&decoded, &memory_limit, nullptr, coded.data(), &used, coded.size());
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  if (status != LZMA_OK) return nullptr;
  Index index(decoded);
  const std::uint64_t block_bytes = lzma_index_total_size(index.get());
  if (used != coded.size() || block_bytes > index_offset - kHeaderBytes) return nullptr;
  end = index_offset - block_bytes - kHeaderBytes;
  if (!read_exactly(file, bytes, end) || lzma_stream_header_decode(&header, bytes.data()) != LZMA_OK ||
      lzma_stream_flags_compare(&header, &footer) != LZMA_OK ||
      lzma_index_stream_flags(index.get(), &footer) != LZMA_OK)
    return nullptr;
  return index;
}

/// The indexes of all streams, joined to one; null if they cannot be read, or if there are too many streams.
Index read_index(const base::File& file) {
  const std::uint64_t file_bytes = file.size();
  Index joined;
  std::uint64_t streams = 0;
  for (std::uint64_t begin = file_bytes; begin > 0;) {
    const std::uint64_t end = without_padding(file, begin);
    const std::uint64_t padding = begin - end;
    begin = end;
    Index index = index_of_stream_before(file, begin);
    if (!index || lzma_index_stream_padding(index.get(), padding) != LZMA_OK) return nullptr;
    if (++streams > kStreamsEnough && (file_bytes - begin) / streams < kTinyBytes) return nullptr;
    if (joined) {
      const lzma_ret status = lzma_index_cat(index.get(), joined.get(), nullptr);
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      if (status != LZMA_OK) return nullptr;
      [[maybe_unused]] lzma_index* const part_of_index = joined.release();
    }
    joined = std::move(index);
  }
  return joined;
}

/// The filters of a block, with the options that liblzma allocates for each.
struct Filters {
  Filters() { list.fill({.id = LZMA_VLI_UNKNOWN, .options = nullptr}); }
  ~Filters() {
    for (const lzma_filter& filter : list) std::free(filter.options);
  }
  Filters(const Filters&) = delete;
  Filters& operator=(const Filters&) = delete;

  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> list{};
};

/// Reads the header of a block, and sets up its decoder. Returns LZMA_OK, or the failure.
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
  // With the sizes from the index, the decoder notices a block of another size.
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
    if (status == LZMA_OK || status == LZMA_BUF_ERROR) status = LZMA_DATA_ERROR;  // the block does not end
  }
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  auto [text, advice] = xz_problem(status, needed_bytes);
  if (!text.empty()) plain.size = 0;  // it is unknown which of its bytes are right
  plain.problem = std::move(text);
  plain.advice = std::move(advice);
  return plain;
}

}  // namespace shardmill::codec
