#include <zlib.h>

#include <algorithm>
#include <new>

#include "codec/formats.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window; 16 asks for gzip instead of zlib format
constexpr int kMemoryLevel = 8;           // zlib's default
constexpr int kUnknownSystem = 255;
constexpr std::size_t kEncodeBytes = std::size_t{256} << 10;

// zlib's interface is not const-correct.
Bytef* input_of(std::span<const std::byte> bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

class ZlibDecoder final : public StreamDecoder {
 public:
  ZlibDecoder() {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecoder() override { inflateEnd(&stream_); }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  std::size_t magic_bytes() const override { return kGzipMagic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    return begins_with(first, kGzipMagic) ? Between::stream : Between::garbage;
  }

  void begin() override { inflateReset(&stream_); }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = input_of(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    Progress progress{.consumed = in.size() - stream_.avail_in, .produced = out.size() - stream_.avail_out};
    progress.ended = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      progress.problem = std::string("damaged gzip data: ") + (stream_.msg ? stream_.msg : "no details");
    }
    return progress;
  }

 private:
  z_stream stream_{};
};

class GzipEncoder final : public BlockEncoder {
 public:
  GzipEncoder(int level, Output output) : BlockEncoder(kEncodeBytes), output_(std::move(output)) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, kGzipWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
    header_.os = kUnknownSystem;
    deflateSetHeader(&stream_, &header_);
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

 private:
  void encode(std::span<const std::byte> block, bool last) override {
    stream_.next_in = input_of(block);
    stream_.avail_in = static_cast<uInt>(block.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      const std::size_t produced = buffer_.size() - stream_.avail_out;
      if (produced > 0) output_(std::span(buffer_).first(produced));
    } while (stream_.avail_out == 0);
  }

  Output output_;
  z_stream stream_{};
  gz_header header_{};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kEncodeBytes);
};

}  // namespace

std::unique_ptr<StreamDecoder> make_gzip_library_decoder() {
  return std::make_unique<ZlibDecoder>();
}

std::unique_ptr<Encoder> make_gzip_encoder(int level, Encoder::Output output) {
  return std::make_unique<GzipEncoder>(level, std::move(output));
}

std::string zlib_library_version() {
  return zlibVersion();
}

}  // namespace shardmill::codec
