// The codecs: told by first bytes, opened for reading as pieces, and for writing as a stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/piece.hpp"

namespace shardmill::codec {

enum class Codec { none, bzip2, gzip, xz, zstd, lz4 };

inline constexpr std::array kAllCodecs{Codec::none, Codec::bzip2, Codec::gzip,
                                       Codec::xz,   Codec::zstd,  Codec::lz4};
inline constexpr std::size_t kDetectBytes = 16;

/// "none", "bzip2", "gzip", "xz", "zstd", "lz4".
std::string_view name(Codec codec);
std::optional<Codec> codec_by_name(std::string_view name);

/// ".bz2", ".gz", ".xz", ".zst", ".lz4"; empty for none.
std::string_view suffix(Codec codec);

/// The codec whose magic `first` begins with; none when no magic fits. kDetectBytes are enough. A zstd
/// skippable frame and an lz4 one look alike (0x184D2A5?): told apart by what follows when `first` reaches
/// that far, else zstd.
Codec detect(std::span<const std::byte> first);

/// Is told where the bytes begin that follow the last stream, are not zeros and were ignored.
using TrailingSink = std::function<void(const Error&)>;

/// Opens `file`, a regular file or a pipe positioned at its start, whatever its codec. `file` must outlive
/// the reader and its pieces. Pieces hold at most a few MB. Zeros may follow the last stream; what else
/// follows is damage, unless there is an `on_trailing`, which is called by the thread that reads pieces. A
/// file of zero bytes has no pieces. `from`: of a piece of the same file, which must be a regular one; pieces
/// before it are left out. Throws Error when the file cannot be read.
std::unique_ptr<PieceReader> open(base::File& file, TrailingSink on_trailing = {},
                                  const RestartPoint& from = {});

/// A stream compressor. Output depends only on the input bytes and the parameters, not on how the input was
/// cut.
class Encoder {
 public:
  using Output = std::function<void(std::span<const std::byte>)>;

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// Hands compressed bytes to the output now and then; what that throws comes through.
  virtual void write(std::span<const std::byte> plain) = 0;
  /// Ends the stream: nothing may be written after it.
  virtual void finish() = 0;
};

/// The lowest, default and highest level of a codec that can be written (none: 0 only); nullopt for bzip2 and
/// xz.
struct LevelRange {
  int lowest;
  int standard;
  int highest;
};
std::optional<LevelRange> levels(Codec codec);

struct EncoderOptions {
  Codec codec = Codec::none;
  std::optional<int> level{};                  // default: levels(codec)->standard
  bool seekable = false;                       // zstd only: independent frames and a seek table
  std::optional<std::uint64_t> plain_bytes{};  // when known: recorded by zstd and lz4, and must then be right
};

/// Throws UsageError for a codec that is not written or a level out of range.
std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, Encoder::Output output);

/// About how much memory such an encoder holds; at zstd's high levels it is much. Throws like make_encoder().
std::uint64_t encoder_memory_bytes(const EncoderOptions& options);

}  // namespace shardmill::codec
