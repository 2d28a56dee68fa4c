#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/binary_fields.hpp"
#include "codec/formats.hpp"
#include "codec/xz/blocks.hpp"

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

namespace {

constexpr std::uint64_t kMostPlainBytes = std::uint64_t{64} << 20;
constexpr std::size_t kSpanBytes = std::size_t{2} << 20;

/// The state that the pieces of a file share.
struct Shared {
  Shared(const base::File& from, XzBlocks blocks)
      : file(from), all(std::move(blocks)) {}  // clang 14 asks for it

  const base::File& file;
  const XzBlocks all;
  std::uint64_t streams = 0;  // that have begun in the pieces read so far
};

class XzPiece final : public Piece {
 public:
  /// `bytes`: the bytes of the file from this block to the next one.
  XzPiece(std::shared_ptr<Shared> shared, std::size_t number, std::uint64_t bytes)
      : shared_(std::move(shared)), number_(number), bytes_(bytes) {}

  void prepare() noexcept override {
    if (plain_ || failure_) return;
    try {
      decode();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  std::span<const std::byte> read() override {
    if (done_) return {};
    prepare();
    if (plain_ && read_ < plain_->size) {
      const auto next = plain_->span().subspan(read_, std::min(kSpanBytes, plain_->size - read_));
      read_ += next.size();
      return next;
    }
    done_ = true;
    shared_->streams = is_last() ? shared_->all.streams : block().stream;
    plain_.reset();
    if (failure_) std::rethrow_exception(failure_);
    return {};
  }

  RestartPoint restart_point() const override {
    base::BinaryWriter out;
    out.put(std::uint64_t{number_});
    out.put(shared_->streams);
    return out.take();
  }
  std::uint64_t compressed_bytes() const override { return bytes_; }
  /// The plain bytes count twice: the dictionary is about as large.
  std::size_t memory_bytes() const override { return block().bytes + 2 * block().plain_bytes; }

 private:
  const XzBlock& block() const { return shared_->all.blocks[number_]; }
  bool is_last() const { return number_ + 1 == shared_->all.blocks.size(); }

  void decode() {
    std::vector<std::byte> compressed(block().bytes);
    const std::size_t got = shared_->file.read_at(compressed, block().offset);
    if (got < compressed.size()) {
      throw Error("truncated: the file became shorter while it was read",
                  {.path = shared_->file.path(), .offset = block().offset + got});
    }
    plain_ = decode_xz_block(block(), compressed);
    if (plain_->problem.empty()) return;
    failure_ = std::make_exception_ptr(
        Error(plain_->problem,
              {.path = shared_->file.path(), .offset = block().offset, .block = std::uint64_t{number_}},
              plain_->advice));
  }

  std::shared_ptr<Shared> shared_;
  std::size_t number_;
  std::uint64_t bytes_;
  std::optional<XzPlain> plain_;
  std::exception_ptr failure_;  // after the plain bytes
  std::size_t read_ = 0;
  bool done_ = false;
};

class XzReader final : public PieceReader {
 public:
  XzReader(const base::File& file, XzBlocks all, const RestartPoint& from)
      : shared_(std::make_shared<Shared>(file, std::move(all))) {
    if (from.empty()) return;
    base::BinaryReader in(from);  // written by restart_point()
    next_ = in.number();
    shared_->streams = in.number();
  }

  std::unique_ptr<Piece> next() override {
    const auto& blocks = shared_->all.blocks;
    if (next_ >= blocks.size()) return nullptr;
    const std::uint64_t begin = next_ == 0 ? 0 : blocks[next_].offset;
    const std::uint64_t end = next_ + 1 == blocks.size() ? shared_->file.size() : blocks[next_ + 1].offset;
    return std::make_unique<XzPiece>(shared_, next_++, end - begin);
  }

  std::uint64_t streams() const override { return shared_->streams; }

 private:
  std::shared_ptr<Shared> shared_;
  std::size_t next_ = 0;
};

bool fit_in_memory(const XzBlocks& all) {
  return all.blocks.size() > 1 && std::ranges::all_of(all.blocks, [](const XzBlock& block) {
           return block.plain_bytes <= kMostPlainBytes && block.bytes <= 2 * kMostPlainBytes;
         });
}

}  // namespace

std::unique_ptr<PieceReader> make_xz_reader(Input input, TrailingSink on_trailing, const RestartPoint& from) {
  if (input.file().is_regular()) {
    XzBlocks all = list_xz_blocks(input.file());
    if (fit_in_memory(all)) return std::make_unique<XzReader>(input.file(), std::move(all), from);
  }
  return make_chained_reader(std::move(input), make_xz_decoder(), std::move(on_trailing));
}

}  // namespace shardmill::codec
