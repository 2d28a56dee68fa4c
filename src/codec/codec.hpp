// The codecs: recognises them by the first bytes of a file, opens files as pieces, and makes encoders; and
// decodes blocks of known plain size, which other file formats hold.
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
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/version.hpp"
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

/// The codec with the magic at the start of `first`; none if no magic fits. kDetectBytes bytes are enough.
/// Skippable frames of zstd and lz4 look alike (0x184D2A5?): the next frame decides if `first` reaches that
/// far; otherwise the answer is zstd.
Codec detect(std::span<const std::byte> first);

/// Called with a warning if there are bytes after the last stream that are not zeros and are ignored. The
/// warning has their offset.
using TrailingSink = std::function<void(const Error&)>;

/// Opens `file`, a regular file or a pipe at its start, of any codec. `file` must outlive the reader and its
/// pieces. A piece holds at most a few MB. Zeros between streams and after the last are skipped. Other bytes
/// after the last stream are damage, unless `on_trailing` is given: then the thread that reads the pieces
/// calls it. An empty file has no pieces. `from` is the restart point of a piece of the same regular file;
/// pieces before it are left out. Throws Error if the file cannot be read.
std::unique_ptr<PieceReader> open(base::File& file, TrailingSink on_trailing = {},
                                  const RestartPoint& from = {});

/// Compresses a stream. The output depends only on the input bytes and the parameters, not on how the input
/// was cut.
class Encoder {
 public:
  using Output = std::function<void(std::span<const std::byte>)>;

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// Passes compressed bytes to the output now and then. Exceptions of the output pass through.
  virtual void write(std::span<const std::byte> plain) = 0;
  /// Ends the stream: nothing may be written afterwards.
  virtual void finish() = 0;
};

/// The lowest, default and highest level of a codec that can be written (for none always 0); nullopt for
/// bzip2 and xz.
struct LevelRange {
  int lowest;
  int standard;
  int highest;
};
std::optional<LevelRange> levels(Codec codec);

struct EncoderOptions {
  Codec codec = Codec::none;
  std::optional<int> level{};                  // default: levels(codec)->standard
  bool seekable = false;                       // only for zstd: independent frames and a seek table
  std::optional<std::uint64_t> plain_bytes{};  // must be right: zstd and lz4 record it
};

/// Throws UsageError for a codec that cannot be written or a level out of range.
std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, Encoder::Output output);

/// About how much memory such an encoder takes (zstd's high levels take much). Throws like make_encoder().
std::uint64_t encoder_memory_bytes(const EncoderOptions& options);

/// The versions of the codecs' libraries.
base::LibraryVersions library_versions();

/// Optional libraries that the program was built without, each with the effect: {"libisal", "gzip and parity
/// take more time"}.
std::vector<std::pair<std::string, std::string>> missing_libraries();

enum class BlockForm {
  snappy,  // without the frames of .sz files
  gzip,    // one or more members
  zstd,    // one or more frames
  lz4      // without the frames of .lz4 files
};

/// Fills `plain` with the plain bytes of `packed`. Throws Error, without a place, for damage and if the block
/// holds more or fewer bytes than that. Thread-safe.
void unpack_block(BlockForm form, std::span<const std::byte> packed, std::span<std::byte> plain);

/// The most plain bytes that a block of `packed_bytes` bytes can hold, for not believing a size that cannot
/// be right.
std::uint64_t most_plain_bytes(BlockForm form, std::uint64_t packed_bytes);

/// The CRC-32 of gzip, which other formats use, too.
std::uint32_t block_crc(std::span<const std::byte> bytes);

}  // namespace shardmill::codec
