#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "base/io/binary_fields.hpp"
#include "codec/formats.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kPlainPieceBytes = std::size_t{1} << 20;

struct PlainPieceBuffer {
  std::array<std::byte, kPlainPieceBytes> bytes;
};
using BufferPool = Pool<PlainPieceBuffer>;

/// A part of a regular file.
class FilePiece final : public Piece {
 public:
  FilePiece(const base::File& file, std::uint64_t offset, std::size_t bytes, BufferPool& buffers)
      : file_(file), offset_(offset), bytes_(bytes), buffer_(buffers.take()) {}

  void prepare() noexcept override {
    if (std::exchange(prepared_, true)) return;
    try {
      got_ = file_.read_at(std::span(buffer_->bytes).first(bytes_), offset_);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  std::span<const std::byte> read() override {
    prepare();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (const std::size_t got = std::exchange(got_, 0); got > 0) {
      lost_ = got < bytes_;
      return std::span(buffer_->bytes).first(got);
    }
    if (std::exchange(lost_, false)) {
      throw Error("truncated: the file became shorter while it was read",
                  {.path = file_.path(), .offset = offset_});
    }
    return {};
  }

  RestartPoint restart_point() const override {
    base::BinaryWriter out;
    out.put(offset_);
    return out.take();
  }
  std::uint64_t compressed_bytes() const override { return bytes_; }
  std::size_t memory_bytes() const override { return sizeof(PlainPieceBuffer); }

 private:
  const base::File& file_;
  std::uint64_t offset_;
  std::size_t bytes_;
  std::size_t got_ = 0;  // bytes that were read but not delivered yet
  BufferPool::Pointer buffer_;
  bool prepared_ = false;
  bool lost_ = false;
  std::exception_ptr failure_;
};

class FileReader final : public PieceReader {
 public:
  FileReader(const base::File& file, std::uint64_t offset)
      : file_(file), size_(file.size()), offset_(offset) {}

  std::unique_ptr<Piece> next() override {
    if (offset_ >= size_) return nullptr;
    const std::uint64_t bytes = std::min<std::uint64_t>(kPlainPieceBytes, size_ - offset_);
    const std::uint64_t offset = std::exchange(offset_, offset_ + bytes);
    return std::make_unique<FilePiece>(file_, offset, static_cast<std::size_t>(bytes), *buffers_);
  }
  bool is_plain() const noexcept override { return true; }

 private:
  const base::File& file_;
  std::uint64_t size_;
  std::uint64_t offset_;
  std::shared_ptr<BufferPool> buffers_ = BufferPool::common();
};

/// A part of a pipe that has been read already.
class PipePiece final : public Piece {
 public:
  explicit PipePiece(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  void prepare() noexcept override {}
  std::span<const std::byte> read() override {
    if (std::exchange(delivered_, true)) return {};
    return bytes_;
  }
  std::uint64_t compressed_bytes() const override { return bytes_.size(); }
  std::size_t memory_bytes() const override { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
  bool delivered_ = false;
};

class PipeReader final : public PieceReader {
 public:
  explicit PipeReader(Input input) : input_(std::move(input)) {}

  std::unique_ptr<Piece> next() override {
    std::vector<std::byte> bytes(kPlainPieceBytes);
    bytes.resize(input_.read(bytes));
    return bytes.empty() ? nullptr : std::make_unique<PipePiece>(std::move(bytes));
  }
  bool is_plain() const noexcept override { return true; }

 private:
  Input input_;
};

class PlainEncoder final : public Encoder {
 public:
  explicit PlainEncoder(Output output) : output_(std::move(output)) {}
  void write(std::span<const std::byte> plain) override { output_(plain); }
  void finish() override {}

 private:
  Output output_;
};

}  // namespace

std::unique_ptr<PieceReader> make_plain_reader(Input input, const RestartPoint& from) {
  const std::uint64_t offset = from.empty() ? 0 : base::BinaryReader(from).number();
  if (input.file().is_regular()) return std::make_unique<FileReader>(input.file(), offset);
  return std::make_unique<PipeReader>(std::move(input));
}

std::unique_ptr<Encoder> make_plain_encoder(Encoder::Output output) {
  return std::make_unique<PlainEncoder>(std::move(output));
}

}  // namespace shardmill::codec
