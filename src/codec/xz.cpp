#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <new>
#include <utility>

#include "codec/formats.hpp"

namespace shardmill::codec {

XzProblem xz_problem(int status, std::uint64_t needed_bytes) {
  switch (status) {
    case LZMA_OK:
    case LZMA_STREAM_END:
    case LZMA_BUF_ERROR:  // too little input or room: the caller handles that
      return {};
    case LZMA_MEMLIMIT_ERROR:
      return {.text = fmt::format("needs {} MiB of memory to be decoded by xz, more than the limit of {} MiB",
                                  (needed_bytes >> 20) + 1, kXzMemoryLimitBytes >> 20),
              .advice = "compress it again with a smaller dictionary, xz -9 or less"};
    case LZMA_UNSUPPORTED_CHECK:
      return {.text = "carries an xz integrity check of a kind that cannot be verified", .advice = {}};
    case LZMA_OPTIONS_ERROR:
      return {.text = "damaged xz data, or options that this version of liblzma does not know", .advice = {}};
    default:
      return {.text = "damaged xz data", .advice = {}};
  }
}

namespace {

class XzDecoder final : public StreamDecoder {
 public:
  XzDecoder() = default;
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  std::size_t magic_bytes() const override { return kXzMagic.size(); }

  Between classify(std::span<const std::byte> first) const override {
    return begins_with(first, kXzMagic) ? Between::stream : Between::garbage;
  }

  void begin() override {
    if (lzma_stream_decoder(&stream_, kXzMemoryLimitBytes, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
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
    auto [text, advice] = xz_problem(status, lzma_memusage(&stream_));
    progress.problem = std::move(text);
    progress.advice = std::move(advice);
    return progress;
  }

  std::uint64_t window_bytes() const override { return lzma_memusage(&stream_); }

 private:
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
