// What the wrappers of compression libraries share: StreamDecoder decodes one stream of one format,
// MultiStreamDecoder all streams of a file, and BlockEncoder cuts its input into blocks of one size; and the
// words about damage that several codecs meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "codec/codec.hpp"
#include "codec/piece.hpp"

namespace shardmill::codec {

/// The kind of data between two streams of a file, or before the first. skippable: a stream without data.
enum class Between { stream, skippable, garbage };

/// The progress of one call. `problem` is damage in the data; bytes produced before it are still good.
struct Progress {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  bool ended = false;  // the stream is complete and its checksums are right
  std::string problem{};
  std::string advice{};
};

/// The interface to one library. One thread at a time.
class StreamDecoder {
 public:
  StreamDecoder() = default;
  StreamDecoder(const StreamDecoder&) = delete;
  StreamDecoder& operator=(const StreamDecoder&) = delete;
  virtual ~StreamDecoder() = default;

  /// The number of bytes that classify() needs. No magic starts with a zero.
  virtual std::size_t magic_bytes() const = 0;
  /// `first` has magic_bytes() bytes and does not start with a zero. It is shorter only at the end of the
  /// file; then the beginning of a magic counts as a stream.
  virtual Between classify(std::span<const std::byte> first) const = 0;

  /// Prepares for a new stream.
  virtual void begin() = 0;
  /// Decodes, and makes progress whenever it can. `in` may be empty, to fetch what the decoder still holds.
  virtual Progress decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;

  /// The memory reserved for the stream, if it is large enough to count. It fills up as bytes are decoded.
  virtual std::uint64_t window_bytes() const { return 0; }
};

/// True if `first` starts with `magic`, or ends inside it.
bool begins_with(std::span<const std::byte> first, std::span<const std::uint8_t> magic);
/// True for a frame that decoders of zstd and lz4 skip: 0x184D2A5?, the same in both formats.
bool is_skippable_frame(std::span<const std::byte> first);

/// The number of zeros at the start of `bytes`. Zeros between the streams of a file and after the last are
/// skipped for every codec, because tapes and copying in blocks leave them; data after them is still read.
std::size_t leading_zeros(std::span<const std::byte> bytes);

/// Reads a file of several streams, with zeros between them, as if it were one stream.
class MultiStreamDecoder {
 public:
  /// `consumed` bytes of the file, with `streams` streams, are already decoded.
  explicit MultiStreamDecoder(std::unique_ptr<StreamDecoder> decoder, std::uint64_t consumed = 0,
                              std::uint64_t streams = 0)
      : decoder_(std::move(decoder)), streams_(streams), consumed_(consumed) {}

  /// Decodes until `in` is used up or `out` is full; otherwise there is a problem. `last`: the file ends with
  /// `in`. Bytes after the last stream are skipped.
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out, bool last);

  /// The number of streams with data that have begun so far.
  std::uint64_t streams() const noexcept { return streams_; }

  /// The number of plain bytes decoded from the stream that was begun last.
  std::uint64_t stream_bytes() const noexcept { return stream_bytes_; }
  /// The same if that stream has not ended; otherwise 0.
  std::uint64_t open_bytes() const noexcept { return inside_ ? stream_bytes_ : 0; }

  /// The offset of the first byte after the last stream that is not a zero, once it has been met. Counted
  /// over all bytes given to decode().
  std::optional<std::uint64_t> garbage_offset() const noexcept { return garbage_offset_; }

  Window window() const;
  /// Gives the memory of the decoder back. decode() must not be called afterwards.
  void release() noexcept { decoder_.reset(); }

 private:
  bool look_between(std::span<const std::byte> in, bool last, Progress& total);
  void decode_step(std::span<const std::byte> in, std::span<std::byte> out, Progress& total);

  std::unique_ptr<StreamDecoder> decoder_;
  std::vector<std::byte> magic_;  // taken while looking for a magic, and not given to decoder_ yet
  bool inside_ = false;           // we are inside a stream
  std::uint64_t streams_;         // streams that have begun, without skippable ones
  std::uint64_t stream_bytes_ = 0;
  std::uint64_t used_window_bytes_ = 0;  // by this stream or one before it
  std::uint64_t consumed_;               // over all calls
  std::optional<std::uint64_t> garbage_offset_;
};

/// Cuts the input of an encoder into blocks of one size, so that its output does not depend on how its caller
/// cut the input.
class BlockEncoder : public Encoder {
 public:
  explicit BlockEncoder(std::size_t block_bytes) : block_bytes_(block_bytes) {}

  void write(std::span<const std::byte> plain) final;
  void finish() final;

 protected:
  /// Every block but the last has the full size; the last may be empty.
  virtual void encode(std::span<const std::byte> block, bool last) = 0;

 private:
  std::size_t block_bytes_;
  std::vector<std::byte> block_;
};

/// The error for bytes after the last compressed stream that are not zeros. They are damage: they may be
/// another stream with a destroyed magic, and all its data.
Error trailing_damage(const std::string& path, std::uint64_t offset);

/// The warning if the user wants such bytes ignored.
Error trailing_ignored(const std::string& path, std::uint64_t offset);

/// The number of bytes, of those already returned from the same stream, that may be wrong: all of them, or 0
/// if the file is only too short.
std::uint64_t doubtful_bytes(std::string_view problem, std::uint64_t delivered_bytes);

/// `problem`, with a remark if there are doubtful bytes.
std::string with_doubt(std::string problem, std::uint64_t delivered_bytes);

}  // namespace shardmill::codec
