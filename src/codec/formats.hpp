// What each codec offers to codec.cpp and to measurements: its magic, its reader of whole files, a decoder
// and an encoder on top of its library, and the version of that library. Nothing outside codec/ chooses a
// codec by these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "codec/gzip/slices.hpp"
#include "codec/input.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

// ---- none: plain files, which are read in parallel, and pipes ----

std::unique_ptr<PieceReader> make_plain_reader(Input input, const RestartPoint& from = {});
std::unique_ptr<Encoder> make_plain_encoder(Encoder::Output output);

// ---- bzip2 ----

/// Decodes the blocks of one file in parallel, checks them, and returns them in order. A piece reaches from
/// one apparent start of a block to the next. A magic that occurs inside a block by chance is recognised,
/// because every block must begin where the one before ended.
std::unique_ptr<PieceReader> make_bzip2_reader(Input input, TrailingSink on_trailing,
                                               const RestartPoint& from = {});

/// By libbz2, which most other programs use.
std::unique_ptr<StreamDecoder> make_bzip2_library_decoder();
/// Compresses a whole file in blocks of 900 kB, for measurements. `plain` must be smaller than 4 GB.
std::vector<std::byte> compress_bzip2(std::span<const std::byte> plain);
std::string libbz2_version();

// ---- gzip ----

inline constexpr std::array<std::uint8_t, 2> kGzipMagic{0x1f, 0x8b};

/// Cuts one file into slices, decodes them in parallel, checks them and returns them in order. A piece begins
/// at the first deflate block of its slice. If a slice has no block, or a very late one, its piece begins
/// where the piece before ran out of input. Decoding a piece needs the plain bytes before it. If these are
/// not decoded yet, the piece is decoded speculatively, from an apparent start of a block and with symbols
/// for unknown bytes (GzipGuess). A wrong guess is noticed, because the piece before does not end there.
std::unique_ptr<PieceReader> make_gzip_reader(Input input, TrailingSink on_trailing,
                                              const RestartPoint& from = {}, const GzipSizes& sizes = {});

/// By zlib, as a measure of reading.
std::unique_ptr<StreamDecoder> make_gzip_library_decoder();
/// By zlib. Writes one member, without time, name or system in its header.
std::unique_ptr<Encoder> make_gzip_encoder(int level, Encoder::Output output);
std::string zlib_library_version();

/// The version of ISA-L that the program was compiled with; nullopt in a build without it.
std::optional<std::string> isal_library_version();

// ---- xz ----

inline constexpr std::array<std::uint8_t, 6> kXzMagic{0xfd, '7', 'z', 'X', 'Z', 0};
inline constexpr std::uint64_t kXzMemoryLimitBytes = std::uint64_t{256} << 20;  // xz -9 asks for 65 MiB

/// A piece is a block, if the index of the file lists several blocks of at most 64 MiB, as `xz -T` writes
/// them up to level 7. Any other file is decoded by make_chained_reader(), and then has no restart points.
std::unique_ptr<PieceReader> make_xz_reader(Input input, TrailingSink on_trailing,
                                            const RestartPoint& from = {});

/// By liblzma.
std::unique_ptr<StreamDecoder> make_xz_decoder();
/// Compresses a whole file at a low level, for measurements.
std::vector<std::byte> compress_xz(std::span<const std::byte> plain);
std::string liblzma_version();

/// A result of liblzma in words.
struct XzProblem {
  std::string text;  // empty if there is no problem
  std::string advice;
};
/// `status`: an lzma_ret. `needed_bytes`: the memory that decoding needs, if that is more than the limit.
XzProblem xz_problem(int status, std::uint64_t needed_bytes);

// ---- zstd and lz4 ----

inline constexpr std::array<std::uint8_t, 4> kZstdMagic{0x28, 0xb5, 0x2f, 0xfd};
inline constexpr std::array<std::uint8_t, 4> kLz4Magic{0x04, 0x22, 0x4d, 0x18};

/// Decodes small frames in parallel, as in seekable files: while frames of at most 2 MiB follow each other, a
/// piece is one or more whole frames. From the first larger frame on, at anything that is not a frame, and in
/// pipes, make_chained_reader() decodes the rest, which has no restart points.
std::unique_ptr<PieceReader> make_frame_reader(Input input, Codec codec,
                                               std::unique_ptr<StreamDecoder> (*make_decoder)(),
                                               TrailingSink on_trailing, const RestartPoint& from = {});

/// By libzstd.
std::unique_ptr<StreamDecoder> make_zstd_decoder();
/// Writes one frame with a checksum.
std::unique_ptr<Encoder> make_zstd_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                           Encoder::Output output);
/// Writes independent frames and a seek table, in the zstd seekable format.
std::unique_ptr<Encoder> make_seekable_zstd_encoder(int level, Encoder::Output output);
/// The memory that either encoder holds while it works.
std::uint64_t zstd_encoder_bytes(int level);
std::string libzstd_version();

/// By liblz4.
std::unique_ptr<StreamDecoder> make_lz4_decoder();
/// Writes one frame with a checksum.
std::unique_ptr<Encoder> make_lz4_encoder(int level, std::optional<std::uint64_t> plain_bytes,
                                          Encoder::Output output);
std::string liblz4_version();

/// For unpack_block(). Throws Error.
void unpack_lz4_block(std::span<const std::byte> packed, std::span<std::byte> plain);

// ---- snappy: blocks only ----

/// For unpack_block(). Throws Error.
void unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> plain);

// ---- shared by several codecs ----

/// Decodes files that can only be decoded from front to back: xz, and zstd and lz4 with large frames. Pieces
/// are slices of the compressed file and are decoded in order. A prepare() that finds the decoder free also
/// decodes all pieces that already wait, so decoding runs ahead of reading. The input begins at `offset` of
/// the file, after `streams` streams.
std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing, std::uint64_t offset = 0,
                                                 std::uint64_t streams = 0);

/// Throws Error if `first` begins a compressed file of a form that is recognised but not read, such as lzip.
/// The error names the form and a program that reads it. Without this check such a file would count as a
/// damaged tar.
void check_other_forms(const std::string& path, std::span<const std::byte> first);

}  // namespace shardmill::codec
