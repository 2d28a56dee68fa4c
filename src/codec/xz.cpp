#include "codec/xz.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <new>

namespace shardmill::codec {

namespace {

constexpr std::size_t kPaddingBytes = 4;
constexpr std::uint64_t kMemoryLimitBytes = std::uint64_t{256} << 20;  // xz -9 asks for 65 MiB

class XzDecoder final : public StreamDecoder {
 public:
  XzDecoder() = default;
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  std::size_t magic_bytes() const override { return kXzMagic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    const auto padding = first.first(std::min(kPaddingBytes, first.size()));
    if (std::ranges::all_of(padding, [](std::byte byte) { return byte == std::byte{0}; }) &&
        padding.size() == kPaddingBytes) {
      return {Between::Kind::padding, kPaddingBytes};
    }
    return {begins_with(first, kXzMagic) ? Between::Kind::stream : Between::Kind::garbage, 0};
  }

  void begin() override {
    if (lzma_stream_decoder(&stream_, kMemoryLimitBytes, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    Progress progress{.consumed = in.size() - stream_.avail_in, .produced = out.size() - stream_.avail_out};
    progress.ended = status == LZMA_STREAM_END;
    explain(status, progress);
    return progress;
  }

 private:
  void explain(lzma_ret status, Progress& progress) {
    switch (status) {
      case LZMA_OK:
      case LZMA_STREAM_END:
      case LZMA_BUF_ERROR:  // nothing to do with so little input or room: the caller sees that
        return;
      case LZMA_MEMLIMIT_ERROR:
        progress.problem =
            fmt::format("needs {} MiB of memory to be decoded by xz, more than the limit of {} MiB",
                        (lzma_memusage(&stream_) >> 20) + 1, kMemoryLimitBytes >> 20);
        progress.advice = "compress it again with a smaller dictionary, xz -9 or less";
        return;
      case LZMA_UNSUPPORTED_CHECK:
        progress.problem = "carries an xz integrity check of a kind that cannot be verified";
        return;
      case LZMA_OPTIONS_ERROR:
        progress.problem = "damaged xz data, or options that this version of liblzma does not know";
        return;
      default:
        progress.problem = "damaged xz data";
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<StreamDecoder> make_xz_decoder() {
  return std::make_unique<XzDecoder>();
}

std::vector<std::byte> compress_xz(std::span<const std::byte> plain) {
  constexpr std::uint32_t kFastPreset = 1;
  std::vector<std::byte> out(lzma_stream_buffer_bound(plain.size()));
  std::size_t bytes = 0;
  const lzma_ret status = lzma_easy_buffer_encode(
      kFastPreset, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
      plain.size(), reinterpret_cast<std::uint8_t*>(out.data()), &bytes, out.size());
  if (status != LZMA_OK) throw std::bad_alloc();  // nothing else can fail with a buffer of this size
  out.resize(bytes);
  return out;
}

std::string liblzma_version() {
  return lzma_version_string();
}

}  // namespace shardmill::codec
