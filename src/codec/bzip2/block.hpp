// Bzip2BlockDecoder: decodes one bzip2 block. It knows nothing of files or streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/system/vector_path.hpp"
#include "codec/bzip2/runs.hpp"

namespace shardmill::codec {

/// Undoes a change that bzip2 0.9 made to some blocks to avoid its worst case: flips the lowest bit at the
/// places that the format prescribes. Calling it twice changes nothing.
void toggle_randomisation(std::span<std::byte> block);

inline constexpr std::uint64_t kBzip2BlockMagic = 0x314159265359;
inline constexpr std::uint64_t kBzip2EndMagic = 0x177245385090;
inline constexpr std::size_t kBzip2MaxBlockBytes = 900'000;

/// A block after entropy decoding and the inverse transform, with its runs still folded: at most 900 000
/// bytes.
struct Bzip2Block {
  enum class State { good, truncated, damaged };  // truncated: the input ended inside the block

  State state = State::damaged;
  std::string_view problem;      // static text, empty when good
  std::uint64_t end_bit = 0;     // of a good block: the first bit after it, counted like `start_bit`
  std::uint32_t stored_crc = 0;  // the checksum of the expanded bytes
  std::vector<std::byte> runs;   // input of Bzip2RunExpander
};

/// The start of a block: its 48-bit magic is at bit `start_bit` of `input` (bit 0 is the top bit of byte 0).
struct Bzip2BlockPlace {
  std::span<const std::byte> input;
  std::uint64_t start_bit = 0;
};

/// Owns about 8 MB of scratch memory; use one for many blocks. One thread at a time.
class Bzip2BlockDecoder {
 public:
  Bzip2BlockDecoder();
  /// Uses a path of base::available_vector_paths(); for tests and benchmarks.
  explicit Bzip2BlockDecoder(base::VectorPath path);
  ~Bzip2BlockDecoder();
  Bzip2BlockDecoder(const Bzip2BlockDecoder&) = delete;
  Bzip2BlockDecoder& operator=(const Bzip2BlockDecoder&) = delete;

  /// Decodes one block. Never reads outside the input, never throws for bad data. Reuses the memory of
  /// `block.runs`.
  void decode(const Bzip2BlockPlace& place, Bzip2Block& block);

  /// Decodes two blocks, a tenth faster than one after the other.
  void decode(const Bzip2BlockPlace& first_place, Bzip2Block& first, const Bzip2BlockPlace& second_place,
              Bzip2Block& second);

 private:
  struct Scratch;
  struct Symbols;
  void transform(Symbols& symbols, Bzip2Block& block);

  base::VectorPath path_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace shardmill::codec
