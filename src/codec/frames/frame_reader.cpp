#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/binary_fields.hpp"
#include "codec/formats.hpp"
#include "codec/frames/frame_walk.hpp"
#include "codec/pool.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::uint64_t kEnoughBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMaxBytes = std::uint64_t{2} << 20;

using MakeDecoder = std::unique_ptr<StreamDecoder> (*)();

/// The memory of one thread that decodes frames. A damaged piece gets a new one.
struct Workspace {
  std::unique_ptr<MultiStreamDecoder> decoder;
  std::vector<std::byte> bytes;
};

/// The state that the pieces of a file share.
struct Shared {
  Shared(const base::File& opened, MakeDecoder make) : file(opened), make_decoder(make) {}

  const base::File& file;
  const MakeDecoder make_decoder;

  // For reading, in order.
  std::uint64_t streams = 0;
  std::shared_ptr<PieceReader> tail;  // the reader of the rest of the file, once that is read

  RestartPoint restart_point(std::uint64_t offset) const {
    base::BinaryWriter out;
    out.put(offset);
    out.put(streams);
    return out.take();
  }

  // For any thread.
  const std::shared_ptr<Pool<Workspace>> workspaces =
      Pool<Workspace>::make();  // their decoders are of one codec
  const std::shared_ptr<PlainBufferPool> buffers = PlainBufferPool::common();
};

/// One or more whole frames. The frames before a damaged one are delivered. The damaged one is not, unless it
/// is too large for the buffer.
class FramePiece final : public Piece {
 public:
  /// `ends`: the end of each frame, counted from `offset`.
  FramePiece(std::shared_ptr<Shared> shared, std::uint64_t offset, std::vector<std::size_t> ends,
             std::uint64_t streams)
      : shared_(std::move(shared)),
        offset_(offset),
        bytes_(ends.back()),
        ends_(std::move(ends)),
        streams_(streams) {}

  void prepare() noexcept override {
    if (std::exchange(prepared_, true)) return;
    try {
      begin();
      decode();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  std::span<const std::byte> read() override {
    prepare();
    while (!done_) {
      if (std::exchange(fresh_, false) && plain_bytes_ > 0)
        return std::span(plain_->bytes).first(plain_bytes_);
      if (failure_ || complete_) {
        shared_->streams += streams_;
        end();
        if (failure_) std::rethrow_exception(failure_);
      } else {
        decode();
      }
    }
    end();
    return {};
  }

  RestartPoint restart_point() const override { return shared_->restart_point(offset_); }
  std::uint64_t compressed_bytes() const override { return bytes_; }
  std::size_t memory_bytes() const override { return bytes_ + sizeof(PlainBuffer); }
  std::uint64_t unchecked_bytes() const override { return doubtful_bytes_; }

 private:
  void begin() {
    workspace_ = shared_->workspaces->take();
    if (!workspace_->decoder) {
      workspace_->decoder = std::make_unique<MultiStreamDecoder>(shared_->make_decoder());
    }
    workspace_->bytes.resize(bytes_);
    const std::size_t got = shared_->file.read_at(workspace_->bytes, offset_);
    if (got < bytes_) {
      throw Error("truncated: the file became shorter while it was read",
                  {.path = shared_->file.path(), .offset = offset_ + got});
    }
    plain_ = shared_->buffers->take();
  }

  /// Decodes until the buffer is full, all is decoded or a frame is damaged.
  void decode() {
    fresh_ = true;
    plain_bytes_ = 0;
    for (; frame_ < ends_.size(); ++frame_, frame_was_begun_ = false) {
      const auto rest = std::span<const std::byte>(workspace_->bytes).first(ends_[frame_]).subspan(used_);
      const Progress progress =
          workspace_->decoder->decode(rest, std::span(plain_->bytes).subspan(plain_bytes_), true);
      used_ += progress.consumed;
      if (!progress.problem.empty()) return fail(progress);
      plain_bytes_ += progress.produced;
      if (plain_bytes_ == plain_->bytes.size()) {
        frame_was_begun_ = true;
        return;
      }
    }
    complete_ = true;
  }

  void fail(const Progress& progress) {
    const std::uint64_t delivered = frame_was_begun_ ? workspace_->decoder->stream_bytes() : 0;
    if (frame_was_begun_) plain_bytes_ += progress.produced;
    workspace_->decoder.reset();
    doubtful_bytes_ = doubtful_bytes(progress.problem, delivered);
    failure_ = std::make_exception_ptr(Error(with_doubt(progress.problem, delivered),
                                             {.path = shared_->file.path(), .offset = offset_ + used_},
                                             progress.advice));
  }

  void end() {
    done_ = true;
    plain_.reset();
    if (workspace_ && !complete_) workspace_->decoder.reset();
    workspace_.reset();
  }

  std::shared_ptr<Shared> shared_;
  std::uint64_t offset_;
  std::size_t bytes_;
  std::vector<std::size_t> ends_;
  std::uint64_t streams_;  // that begin in it
  bool prepared_ = false;
  Pool<Workspace>::Pointer workspace_;
  PlainBufferPool::Pointer plain_;
  std::size_t used_ = 0;          // of the compressed bytes
  std::size_t frame_ = 0;         // the next frame to decode
  bool frame_was_begun_ = false;  // some of its plain bytes were in an earlier buffer
  std::size_t plain_bytes_ = 0;
  bool fresh_ = false;     // decoded, not yet read
  bool complete_ = false;  // all is decoded
  bool done_ = false;
  std::exception_ptr failure_;  // after the plain bytes
  std::uint64_t doubtful_bytes_ = 0;
};

/// A piece of the part of the file that is decoded in order.
class TailPiece final : public Piece {
 public:
  TailPiece(std::shared_ptr<Shared> shared, std::shared_ptr<PieceReader> tail, std::unique_ptr<Piece> piece,
            std::optional<std::uint64_t> begin)
      : shared_(std::move(shared)), tail_(std::move(tail)), piece_(std::move(piece)), begin_(begin) {}

  void prepare() noexcept override { piece_->prepare(); }
  std::span<const std::byte> read() override {
    shared_->tail = tail_;
    return piece_->read();
  }
  RestartPoint restart_point() const override {
    return begin_ ? shared_->restart_point(*begin_) : RestartPoint();
  }
  std::uint64_t compressed_bytes() const override { return piece_->compressed_bytes(); }
  std::size_t memory_bytes() const override { return piece_->memory_bytes(); }
  Window window() const override { return piece_->window(); }
  std::uint64_t unchecked_bytes() const override { return piece_->unchecked_bytes(); }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<PieceReader> tail_;
  std::unique_ptr<Piece> piece_;
  std::optional<std::uint64_t> begin_;  // the start of the tail, in its first piece
};

class FrameReader final : public PieceReader {
 public:
  FrameReader(Input input, Codec codec, MakeDecoder make_decoder, TrailingSink on_trailing,
              const RestartPoint& from)
      : input_(std::move(input)),
        codec_(codec),
        on_trailing_(std::move(on_trailing)),
        shared_(std::make_shared<Shared>(input_.file(), make_decoder)),
        file_bytes_(input_.file().size()) {
    if (from.empty()) return;
    base::BinaryReader in(from);  // written by restart_point()
    offset_ = in.number();
    streams_ = shared_->streams = in.number();
  }

  std::unique_ptr<Piece> next() override {
    if (!tail_) {
      if (offset_ >= file_bytes_) return nullptr;
      if (auto piece = next_frames()) return piece;
      input_.jump(offset_);
      tail_ = make_chained_reader(std::move(input_), shared_->make_decoder(), std::move(on_trailing_),
                                  offset_, streams_);
    }
    auto piece = tail_->next();
    if (!piece) return nullptr;
    const auto begin = std::exchange(tail_begun_, true) ? std::nullopt : std::optional(offset_);
    return std::make_unique<TailPiece>(shared_, tail_, std::move(piece), begin);
  }

  std::uint64_t streams() const override {
    return shared_->tail ? shared_->tail->streams() : shared_->streams;
  }

 private:
  /// Returns null if no small frame comes next.
  std::unique_ptr<Piece> next_frames() {
    const std::uint64_t begin = offset_;
    const std::uint64_t streams_before = streams_;
    const std::uint64_t limit = std::min(file_bytes_, begin + kMaxBytes);
    std::vector<std::size_t> ends;
    while (offset_ < file_bytes_ && offset_ - begin < kEnoughBytes) {
      const auto frame = frame_end(shared_->file, codec_, offset_, limit);
      if (!frame) break;
      if (frame->has_data) ++streams_;
      offset_ = frame->end;
      ends.push_back(static_cast<std::size_t>(offset_ - begin));
    }
    if (ends.empty()) return nullptr;
    return std::make_unique<FramePiece>(shared_, begin, std::move(ends), streams_ - streams_before);
  }

  Input input_;
  Codec codec_;
  TrailingSink on_trailing_;
  std::shared_ptr<Shared> shared_;
  std::uint64_t file_bytes_;
  std::uint64_t offset_ = 0;   // the end of the last piece
  std::uint64_t streams_ = 0;  // in the pieces so far
  std::shared_ptr<PieceReader> tail_;
  bool tail_begun_ = false;
};

}  // namespace

std::unique_ptr<PieceReader> make_frame_reader(Input input, Codec codec, MakeDecoder make_decoder,
                                               TrailingSink on_trailing, const RestartPoint& from) {
  if (!input.file().is_regular()) {
    return make_chained_reader(std::move(input), make_decoder(), std::move(on_trailing));
  }
  return std::make_unique<FrameReader>(std::move(input), codec, make_decoder, std::move(on_trailing), from);
}

}  // namespace shardmill::codec
