// Piece and PieceReader: the interface of every codec, with which one pipeline decodes all of them in
// parallel.
//
// A compressed file is cut into pieces. The costly part of a piece, prepare(), may run on any thread while
// other pieces are prepared. Then one thread at a time takes the plain bytes with read(), in the order of the
// file.
//
//   while (auto piece = reader->next()) {   // serial
//     piece->prepare();                     // parallel
//     while (!(bytes = piece->read()).empty()) use(bytes);  // in order
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardmill::codec {

/// The state that a new reader of the same file needs to begin in the middle. It can be kept across a crash.
/// Empty: begin at the start of the file.
using RestartPoint = std::vector<std::byte>;

/// The memory that a decoder keeps from one piece of a file to the next.
struct Window {
  std::uint64_t bytes = 0;
  std::uint64_t full_bytes = 0;  // the size that it may grow to

  bool operator==(const Window&) const = default;
};

class Piece {
 public:
  Piece() = default;
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  virtual ~Piece() = default;

  /// Does the costly part. May run at the same time as anything else of the same reader. Does nothing if the
  /// piece needs the one before and that has not been read yet: then read() does the work. Damage is reported
  /// by read().
  virtual void prepare() noexcept = 0;

  /// The next plain bytes, valid until the next call; empty at the end of the piece. Pieces must be read in
  /// the order of the file, each to its end before the next. No span is larger than 4 MiB, however much a
  /// piece expands. Throws Error (path, offset, block) at damage. After that the piece has ended, and the
  /// next pieces return the bytes after a gap of unknown length, or nothing if no more can be decoded.
  virtual std::span<const std::byte> read() = 0;

  /// True if read() may be called again after it has thrown, for good bytes after the damage in the same
  /// piece.
  virtual bool goes_on_after_damage() const { return false; }

  /// The state with which a new reader begins at this piece. Call it after the piece before was read to its
  /// end, and before this one is read. Empty if a reader can only begin at the start of the file.
  virtual RestartPoint restart_point() const { return {}; }

  /// The number of bytes of the compressed file in this piece; all pieces add up to the size of the file.
  /// Known from the start and the same in every run, so that a deterministic order can be based on it.
  virtual std::uint64_t compressed_bytes() const = 0;

  /// The most bytes of memory this piece holds until it is destroyed (an estimate from before prepare()).
  virtual std::size_t memory_bytes() const = 0;

  /// The memory that the decoder holds for the next pieces after this one was read to its end; nothing if
  /// each piece is decoded by itself. The same in every run.
  virtual Window window() const { return {}; }

  /// After the piece was read to its end: the number of plain bytes before this place that no checksum has
  /// confirmed yet, because their stream continues in the next piece. After read() has thrown: the number of
  /// bytes before the damage that may be wrong because of it.
  virtual std::uint64_t unchecked_bytes() const { return 0; }
};

class PieceReader {
 public:
  PieceReader() = default;
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  virtual ~PieceReader() = default;

  /// The next piece in the order of the file; null at the end. Only one thread at a time may call this, but
  /// earlier pieces may be prepared or read meanwhile. Pieces may outlive their reader. Throws Error when the
  /// file cannot be read.
  virtual std::unique_ptr<Piece> next() = 0;

  /// The number of compressed streams with data (gzip members, zstd frames) that have begun in the pieces
  /// read so far; 0 for plain files. Call it from the thread that reads the pieces.
  virtual std::uint64_t streams() const { return 0; }

  /// True if the bytes of the file are returned unchanged, because no codec recognises them.
  virtual bool is_plain() const noexcept { return false; }
};

}  // namespace shardmill::codec
