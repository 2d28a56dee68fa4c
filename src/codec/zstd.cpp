#include "codec/formats.hpp"

#define ZSTD_STATIC_LINKING_ONLY  // for the estimate of memory
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kZstdEncodeBytes = std::size_t{256} << 10;
constexpr std::size_t kSeekableFrameBytes = std::size_t{1} << 20;

struct FreeZstdDecoder {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
struct FreeZstdEncoder {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class ZstdDecoder final : public StreamDecoder {
 public:
  ZstdDecoder() {
    if (!context_) throw std::bad_alloc();
  }

  std::size_t magic_bytes() const override { return kZstdMagic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    if (is_skippable_frame(first)) return Between::skippable;
    return begins_with(first, kZstdMagic) ? Between::stream : Between::garbage;
  }

  void begin() override { ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input);
    Progress progress{.consumed = input.pos, .produced = output.pos, .ended = status == 0};
    if (!ZSTD_isError(status)) return progress;
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      progress.problem = "needs a zstd window of more than 128 MiB";
      progress.advice =
          "compress it again without --ultra and --long above 27: zstd -dc --long=31 FILE | zstd";
    } else {
      progress.problem = std::string("damaged zstd data: ") + ZSTD_getErrorName(status);
    }
    return progress;
  }

  std::uint64_t window_bytes() const override { return ZSTD_sizeof_DCtx(context_.get()); }

 private:
  std::unique_ptr<ZSTD_DCtx, FreeZstdDecoder> context_{ZSTD_createDCtx()};
};

/// Throws if a call of the library failed: with checked parameters, a fault of the program or of memory.
std::size_t checked(std::size_t status) {
  if (!ZSTD_isError(status)) return status;
  if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  throw Error(std::string("zstd compression failed: ") + ZSTD_getErrorName(status));
}

class ZstdCompressor {
 public:
  explicit ZstdCompressor(int level) {
    if (!context_) throw std::bad_alloc();
    checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
    checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
  }

  void announce(std::uint64_t plain_bytes) {
    checked(ZSTD_CCtx_setPledgedSrcSize(context_.get(), plain_bytes));
  }

  /// Returns the number of bytes passed to `output`.
  std::size_t compress(std::span<const std::byte> plain, bool last, const Encoder::Output& output) {
    ZSTD_inBuffer in{plain.data(), plain.size(), 0};
    std::size_t total = 0;
    for (;;) {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      const std::size_t left =
          checked(ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue));
      if (out.pos > 0) output(std::span(buffer_).first(out.pos));
      total += out.pos;
      if (last ? left == 0 : in.pos == in.size) return total;
    }
  }

 private:
  std::unique_ptr<ZSTD_CCtx, FreeZstdEncoder> context_{ZSTD_createCCtx()};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(ZSTD_CStreamOutSize());
};

class ZstdEncoder final : public BlockEncoder {
 public:
  ZstdEncoder(int level, std::optional<std::uint64_t> plain_bytes, Output output)
      : BlockEncoder(kZstdEncodeBytes), output_(std::move(output)), compressor_(level) {
    if (plain_bytes) compressor_.announce(*plain_bytes);
  }

 private:
  void encode(std::span<const std::byte> block, bool last) override {
    compressor_.compress(block, last, output_);
  }

  Output output_;
  ZstdCompressor compressor_;
};

/// The layout of the seek table: contrib/seekable_format/zstd_seekable_compression_format.md of zstd.
class SeekableZstdEncoder final : public BlockEncoder {
 public:
  SeekableZstdEncoder(int level, Output output)
      : BlockEncoder(kSeekableFrameBytes), output_(std::move(output)), compressor_(level) {}

 private:
  static constexpr std::uint32_t kSkippableMagic = 0x184d2a5e;
  static constexpr std::uint32_t kSeekableMagic = 0x8f92eab1;
  static constexpr std::size_t kEntryBytes = 8;
  static constexpr std::size_t kFooterBytes = 9;

  void encode(std::span<const std::byte> block, bool last) override {
    if (!block.empty() || entries_.empty()) {
      compressor_.announce(block.size());
      add_number(entries_, compressor_.compress(block, true, output_));
      add_number(entries_, block.size());
    }
    if (last) write_seek_table();
  }

  void write_seek_table() {
    std::vector<std::byte> table;
    add_number(table, kSkippableMagic);
    add_number(table, entries_.size() + kFooterBytes);
    table.insert(table.end(), entries_.begin(), entries_.end());
    add_number(table, entries_.size() / kEntryBytes);
    table.push_back(std::byte{0});  // no checksums in the table: the frames have their own
    add_number(table, kSeekableMagic);
    output_(table);
  }

  /// 32 bits, lowest byte first.
  static void add_number(std::vector<std::byte>& bytes, std::uint64_t number) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(number >> shift));
  }

  Output output_;
  ZstdCompressor compressor_;
  std::vector<std::byte> entries_;
};

}  // namespace

std::unique_ptr<StreamDecoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

std::unique_ptr<Encoder> make_zstd_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                           Encoder::Output output) {
  return std::make_unique<ZstdEncoder>(level, plain_bytes, std::move(output));
}

std::unique_ptr<Encoder> make_seekable_zstd_encoder(int level, Encoder::Output output) {
  return std::make_unique<SeekableZstdEncoder>(level, std::move(output));
}

std::string libzstd_version() {
  return ZSTD_versionString();
}

std::uint64_t zstd_encoder_bytes(int level) {
  return ZSTD_estimateCStreamSize(level);
}

}  // namespace shardmill::codec
