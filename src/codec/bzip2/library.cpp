#include <bzlib.h>

#include <array>
#include <cstdint>
#include <new>

#include "codec/formats.hpp"

namespace shardmill::codec {

namespace {

constexpr std::array<std::uint8_t, 3> kMagic{'B', 'Z', 'h'};

class Bzip2LibraryDecoder final : public StreamDecoder {
 public:
  Bzip2LibraryDecoder() { start(); }
  ~Bzip2LibraryDecoder() override { BZ2_bzDecompressEnd(&stream_); }

  std::size_t magic_bytes() const override { return kMagic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    return begins_with(first, kMagic) ? Between::stream : Between::garbage;
  }

  void begin() override {
    BZ2_bzDecompressEnd(&stream_);
    start();
  }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    // libbz2 takes no const pointers, but does not write to its input.
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    Progress progress{.consumed = in.size() - stream_.avail_in, .produced = out.size() - stream_.avail_out};
    progress.ended = status == BZ_STREAM_END;
    if (status != BZ_OK && status != BZ_STREAM_END) progress.problem = "damaged bzip2 data";
    return progress;
  }

 private:
  void start() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
};

}  // namespace

std::unique_ptr<StreamDecoder> make_bzip2_library_decoder() {
  return std::make_unique<Bzip2LibraryDecoder>();
}

std::vector<std::byte> compress_bzip2(std::span<const std::byte> plain) {
  constexpr int kBlockSize = 9;
  // The size that the library's manual asks for.
  std::vector<std::byte> out(plain.size() + plain.size() / 100 + 600);
  auto bytes = static_cast<unsigned>(out.size());
  const int status = BZ2_bzBuffToBuffCompress(
      reinterpret_cast<char*>(out.data()), &bytes,
      const_cast<char*>(reinterpret_cast<const char*>(plain.data())),  // libbz2 takes no const pointers
      static_cast<unsigned>(plain.size()), kBlockSize, 0, 0);
  if (status != BZ_OK) throw std::bad_alloc();  // with a buffer of this size nothing else can fail
  out.resize(bytes);
  return out;
}

std::string libbz2_version() {
  const std::string text = BZ2_bzlibVersion();  // "1.0.8, 13-Jul-2019"
  return text.substr(0, text.find(','));
}

}  // namespace shardmill::codec
