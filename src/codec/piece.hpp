// Piece and PieceReader: how every codec offers its work, so that one pipeline can decode all of them in
// parallel.
//
// A compressed file is cut into pieces. A piece's costly part, prepare(), may run on any thread at the same
// time as that of other pieces. Its plain bytes are then taken with read(), in file order, by one thread at a
// time.
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

/// What a new reader of the same file must know to begin in the middle, for those who keep it across a crash.
/// Empty for the start of the file.
using RestartPoint = std::vector<std::byte>;

class Piece {
 public:
  Piece() = default;
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  virtual ~Piece() = default;

  /// The costly part. Thread-safe against everything else of the same reader. Leaves damage for read() to
  /// report. A no-op where the piece depends on the one before and that one is not read yet: read() then does
  /// the work.
  virtual void prepare() noexcept = 0;

  /// The next plain bytes, valid until the next call; empty at the end of the piece. Pieces are read in file
  /// order, each to its end before the next is begun; no single span is larger than 4 MiB, however much a
  /// piece expands to. Throws Error (path, offset, block) at damage. After that the piece is finished, and
  /// the following pieces give what can be salvaged: the bytes after a gap of unknown length, or nothing at
  /// all.
  virtual std::span<const std::byte> read() = 0;

  /// Where a new reader can begin with this piece and give what this one would. To be asked when the piece
  /// before is read to its end and this one not yet. Empty where only the start of the file will do.
  virtual RestartPoint restart_point() const { return {}; }

  /// How many bytes of the compressed file this piece stands for; over all pieces of a file they add up to
  /// its size. Known from the start and the same in every run: orders that must be deterministic are built on
  /// it.
  virtual std::uint64_t compressed_bytes() const = 0;

  /// Bytes of memory this piece holds until it is destroyed, at most (an estimate made before prepare()).
  virtual std::size_t memory_bytes() const = 0;
};

class PieceReader {
 public:
  PieceReader() = default;
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  virtual ~PieceReader() = default;

  /// The next piece in file order, or null at the end of the file. One thread at a time, but it may run while
  /// earlier pieces are being prepared or read. Throws Error when the file cannot be read. Pieces may outlive
  /// their reader.
  virtual std::unique_ptr<Piece> next() = 0;

  /// How many compressed streams (gzip members, zstd frames) with data have begun, as far as pieces were
  /// read; 0 where nothing is compressed. From the thread that reads the pieces.
  virtual std::uint64_t streams() const { return 0; }

  /// The file's bytes are taken as they are, because no codec knows them.
  virtual bool is_plain() const noexcept { return false; }
};

}  // namespace shardmill::codec
