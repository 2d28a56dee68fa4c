#include <lz4.h>
#include <lz4frame.h>

#include <limits>
#include <new>

#include "codec/formats.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kLz4BlockBytes = std::size_t{1} << 20;  // the size of LZ4F_max1MB

struct FreeLz4Decoder {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};
struct FreeLz4Encoder {
  void operator()(LZ4F_cctx* context) const { LZ4F_freeCompressionContext(context); }
};

class Lz4Decoder final : public StreamDecoder {
 public:
  Lz4Decoder() {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) throw std::bad_alloc();
    context_.reset(context);
  }

  std::size_t magic_bytes() const override { return kLz4Magic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    if (is_skippable_frame(first)) return Between::skippable;
    return begins_with(first, kLz4Magic) ? Between::stream : Between::garbage;
  }

  void begin() override {
    LZ4F_resetDecompressionContext(context_.get());
    header_bytes_ = 0;
  }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    std::size_t consumed = in.size();
    std::size_t produced = out.size();
    const std::size_t status =
        LZ4F_decompress(context_.get(), out.data(), &produced, in.data(), &consumed, nullptr);
    if (LZ4F_isError(status)) {
      return {.problem = std::string("damaged lz4 data: ") + LZ4F_getErrorName(status)};
    }
    learn_block_size(in.first(consumed));
    return {.consumed = consumed, .produced = produced, .ended = status == 0};
  }

  /// Memory for a compressed block, a plain block, and the bytes before it that blocks may repeat.
  std::uint64_t window_bytes() const override { return 2 * block_bytes_ + kLookBackBytes; }

 private:
  static constexpr std::uint64_t kLookBackBytes = std::uint64_t{128} << 10;
  static constexpr std::size_t kBlockSizeAt = 5;  // in the header of the frame

  void learn_block_size(std::span<const std::byte> in) {
    if (header_bytes_ > kBlockSizeAt) return;
    const std::size_t wanted = kBlockSizeAt - header_bytes_;
    if (wanted < in.size())
      block_bytes_ = std::uint64_t{1} << (8 + 2 * (std::to_integer<unsigned>(in[wanted]) >> 4 & 7));
    header_bytes_ += in.size();
  }

  std::unique_ptr<LZ4F_dctx, FreeLz4Decoder> context_;
  std::size_t header_bytes_ = 0;   // bytes of this header that were read, up to the number that is needed
  std::uint64_t block_bytes_ = 0;  // the most that a block may have
};

class Lz4Encoder final : public BlockEncoder {
 public:
  Lz4Encoder(int level, std::optional<std::uint64_t> plain_bytes, Output output)
      : BlockEncoder(kLz4BlockBytes), output_(std::move(output)) {
    LZ4F_cctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION))) throw std::bad_alloc();
    context_.reset(context);
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockSizeID = LZ4F_max1MB;
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    preferences.frameInfo.contentSize = plain_bytes.value_or(0);
    preferences.compressionLevel = level;
    preferences.autoFlush = 1;
    buffer_.resize(LZ4F_compressBound(kLz4BlockBytes, &preferences));
    put(LZ4F_compressBegin(context_.get(), buffer_.data(), buffer_.size(), &preferences));
  }

 private:
  void encode(std::span<const std::byte> block, bool last) override {
    put(LZ4F_compressUpdate(context_.get(), buffer_.data(), buffer_.size(), block.data(), block.size(),
                            nullptr));
    if (last) put(LZ4F_compressEnd(context_.get(), buffer_.data(), buffer_.size(), nullptr));
  }

  void put(std::size_t bytes) {
    if (LZ4F_isError(bytes)) throw Error(std::string("lz4 compression failed: ") + LZ4F_getErrorName(bytes));
    if (bytes > 0) output_(std::span(buffer_).first(bytes));
  }

  Output output_;
  std::unique_ptr<LZ4F_cctx, FreeLz4Encoder> context_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<StreamDecoder> make_lz4_decoder() {
  return std::make_unique<Lz4Decoder>();
}

std::unique_ptr<Encoder> make_lz4_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                          Encoder::Output output) {
  return std::make_unique<Lz4Encoder>(level, plain_bytes, std::move(output));
}

void unpack_lz4_block(std::span<const std::byte> packed, std::span<std::byte> plain) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (packed.size() > kMost || plain.size() > kMost) throw Error("the lz4 block is too large");
  const int got =
      LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(plain.data()),
                          static_cast<int>(packed.size()), static_cast<int>(plain.size()));
  if (got < 0) throw Error("damaged lz4 data");
  if (static_cast<std::size_t>(got) != plain.size())
    throw Error("the block has another size than its header says");
}

std::string liblz4_version() {
  return LZ4_versionString();
}

}  // namespace shardmill::codec
