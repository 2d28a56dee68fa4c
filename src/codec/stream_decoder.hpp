// StreamDecoder: decodes one stream of one format. MultiStreamDecoder: decodes all streams of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/piece.hpp"

namespace shardmill::codec {

/// What begins between two streams of a file, or before the first. skippable: a stream without data.
enum class Between { stream, skippable, garbage };

/// How far a call has come. `problem` is damage in the data; bytes produced before it are still good.
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

  /// How many bytes are needed to tell what comes next. No magic begins with a zero.
  virtual std::size_t magic_bytes() const = 0;
  /// `first` has magic_bytes() bytes, and does not begin with a zero; it has fewer only at the end of the
  /// file, and then the beginning of a magic counts as a stream.
  virtual Between classify(std::span<const std::byte> first) const = 0;

  /// Prepares for a new stream.
  virtual void begin() = 0;
  /// Decodes, and makes progress whenever it can. `in` may be empty, to fetch what the decoder still holds.
  virtual Progress decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;

  /// The memory that is set aside for the stream, where that is worth counting. Not all of it is in use
  /// before as many bytes were decoded.
  virtual std::uint64_t window_bytes() const { return 0; }
};

/// True when `first` begins with `magic`, or ends inside it.
bool begins_with(std::span<const std::byte> first, std::span<const std::uint8_t> magic);
/// True for a frame that decoders of zstd and lz4 skip: 0x184D2A5?, the same in both formats.
bool is_skippable_frame(std::span<const std::byte> first);

/// How many zeros stand before what comes next. Between the streams of a file and after the last, zeros are
/// passed over, whatever the codec and however many: tapes and copying in blocks leave them. So nothing that
/// follows them is lost.
std::size_t leading_zeros(std::span<const std::byte> bytes);

/// Reads a file of several streams, with zeros between them, as if it were one stream.
class MultiStreamDecoder {
 public:
  /// `consumed` bytes of the file, with so many streams, are already decoded.
  explicit MultiStreamDecoder(std::unique_ptr<StreamDecoder> decoder, std::uint64_t consumed = 0,
                              std::uint64_t streams = 0)
      : decoder_(std::move(decoder)), streams_(streams), consumed_(consumed) {}

  /// Decodes until `in` is used up or `out` is full; otherwise there is a problem. `last`: the file ends with
  /// `in`. What follows the last stream is skipped.
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out, bool last);

  /// How many streams with data have begun so far.
  std::uint64_t streams() const noexcept { return streams_; }

  /// How many plain bytes of the stream that was begun last have been decoded.
  std::uint64_t stream_bytes() const noexcept { return stream_bytes_; }
  /// The same where it has not ended; otherwise 0.
  std::uint64_t open_bytes() const noexcept { return inside_ ? stream_bytes_ : 0; }

  /// The place of the first byte after the last stream that is not a zero, once it has been met. Counted over
  /// all bytes given.
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

}  // namespace shardmill::codec
