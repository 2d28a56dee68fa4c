#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/binary.hpp"
#include "codec/formats.hpp"
#include "codec/xz/blocks.hpp"

namespace shardmill::codec {

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
