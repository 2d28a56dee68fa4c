#include "codec/bzip2/inverse_bwt.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "codec/bzip2/block.hpp"
#include "codec/bzip2/lanes.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kHugePageBytes = std::size_t{1} << 21;

// To undo the transform we follow a chain of rows, where each load needs the result of the one before and is
// a cache miss. So we start at many evenly spread rows at once. Each walk ends where another began; then the
// pieces are put in order. With more starts, less time is lost at the end, but there is more to stitch.
constexpr unsigned kMaxStartsLog = 11;
constexpr unsigned kMinSpacingLog = 6;
constexpr std::size_t kMaxStarts = (std::size_t{1} << kMaxStartsLog) + 1;

// How far ahead memory is prefetched. Rows are written at up to 256 places in turn, which is more than a
// processor predicts by itself.
constexpr std::size_t kRowsAhead = 24;

struct Piece {
  std::uint32_t row;       // the start of the piece
  std::uint32_t next_row;  // the start of the next piece
  std::uint32_t offset;    // place in the lanes' memory
  std::uint32_t length;    // 0: not walked by a lane
};

}  // namespace

struct InverseBwt::Tables {
  std::array<std::uint32_t, kBzip2MaxBlockBytes + kRowsAhead> rows;
  std::array<std::byte, kLanes * kLaneBytes> lanes;
  std::array<Piece, kMaxStarts> pieces;
};

// Rows are read all over 3.6 MB. Huge pages save a third of the time, which page tables would take.
InverseBwt::InverseBwt() {
  constexpr std::size_t kBytes = (sizeof(Tables) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  void* memory = ::operator new (kBytes, std::align_val_t{kHugePageBytes});
  ::madvise(memory, kBytes, MADV_HUGEPAGE);  // only a hint: the system may refuse
  tables_.reset(new (memory) Tables);
}

void InverseBwt::Free::operator()(Tables* tables) const noexcept {
  ::operator delete (tables, std::align_val_t{kHugePageBytes});
}

namespace {

using Histogram = std::array<std::uint32_t, 256>;

Histogram count_bytes(std::span<const std::uint8_t> bytes) {
  // Four sets of counters, because an addition to the same counter has to wait for the one before.
  std::array<Histogram, 4> counts{};
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) ++counts[k][bytes[i + k]];
  }
  for (; i < bytes.size(); ++i) ++counts[0][bytes[i]];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    counts[0][byte] += counts[1][byte] + counts[2][byte] + counts[3][byte];
  }
  return counts[0];
}

}  // namespace

void InverseBwt::sort(std::span<const std::uint8_t> last_column) {
  Histogram next = count_bytes(last_column);
  std::uint32_t sum = 0;
  for (std::uint32_t& row : next) sum += std::exchange(row, sum);

  std::uint32_t* const rows = tables_->rows.data();
  for (std::uint32_t i = 0; i < last_column.size(); ++i) {
    const std::uint32_t byte = last_column[i];
    const std::uint32_t row = next[byte]++;
    rows[row] = i << kRowShift | byte;
    __builtin_prefetch(rows + row + kRowsAhead, 1);
  }
}

namespace {

// Cuts the walk into pieces, walks them side by side, and puts them in order.
class PieceWalker {
 public:
  PieceWalker(std::span<std::uint32_t> rows, std::uint32_t origin, std::byte* lanes, Piece* pieces);

  void walk(base::VectorPath path);
  void stitch(std::span<std::byte> out) const;

 private:
  std::uint32_t rows_count() const { return static_cast<std::uint32_t>(rows_.size()) - 1; }
  std::uint32_t piece_at(std::uint32_t row) const {
    return row == origin_ ? origin_piece_ : row >> spacing_log_;
  }
  void begin_piece(std::size_t lane);
  void end_pieces();
  std::uint32_t walk_alone(const Piece& piece, std::span<std::byte>& out) const;

  std::span<std::uint32_t> rows_;  // one more than the block has, for lanes that have no work
  std::uint32_t origin_;
  std::byte* lanes_;
  Piece* pieces_;
  unsigned spacing_log_;
  std::uint32_t origin_piece_ = 0;  // always the last one
  std::uint32_t next_piece_ = 0;
  unsigned busy_lanes_ = 0;
  std::array<Piece*, kLanes> walking_{};
  LaneWalk lane_walk_;
};

PieceWalker::PieceWalker(std::span<std::uint32_t> rows, std::uint32_t origin, std::byte* lanes, Piece* pieces)
    : rows_(rows), origin_(origin), lanes_(lanes), pieces_(pieces) {
  const auto size_log = static_cast<unsigned>(std::bit_width(rows_count() - 1));
  spacing_log_ = std::max(size_log, kMinSpacingLog + kMaxStartsLog) - kMaxStartsLog;
  const auto cut_at = [&](std::uint32_t row) {
    rows_[row] |= kRowMark;
    pieces_[origin_piece_++] = {.row = row, .next_row = 0, .offset = 0, .length = 0};
  };
  for (std::uint32_t row = 0; row < rows_count(); row += 1U << spacing_log_) cut_at(row);
  cut_at(origin);
  --origin_piece_;
  rows_.back() = rows_count() << kRowShift;
}

void PieceWalker::begin_piece(std::size_t lane) {
  if (next_piece_ > origin_piece_) {
    walking_[lane] = nullptr;
    lane_walk_.here[lane] = rows_.back();
    return;
  }
  Piece& piece = pieces_[next_piece_++];
  piece.offset = static_cast<std::uint32_t>(lane * kLaneBytes + lane_walk_.step);
  lane_walk_.here[lane] = rows_[piece.row];
  walking_[lane] = &piece;
  ++busy_lanes_;
}

// Gives new work to the lanes whose piece has ended, because they have reached the start of another.
void PieceWalker::end_pieces() {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((lane_walk_.here[lane] & kRowMark) == 0) continue;
    Piece& piece = *walking_[lane];
    piece.next_row = lane_walk_.before[lane] >> kRowShift;
    piece.length = static_cast<std::uint32_t>(lane * kLaneBytes + lane_walk_.step) - piece.offset;
    --busy_lanes_;
    begin_piece(lane);
  }
}

void PieceWalker::walk(base::VectorPath path) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) begin_piece(lane);
  while (busy_lanes_ > 0 && lane_walk_.step < kLaneBytes) {
    advance_lanes(path, rows_.data(), kLaneBytes, lane_walk_, lanes_);
    end_pieces();
  }
  const std::size_t whole = (lane_walk_.step + kLaneTile - 1) / kLaneTile * kLaneTile;
  advance_lanes(path, rows_.data(), whole, lane_walk_, lanes_);
}

// Walks a piece that had no room in the lanes. This is rare, because such a piece must be far longer than the
// mean.
std::uint32_t PieceWalker::walk_alone(const Piece& piece, std::span<std::byte>& out) const {
  std::uint32_t row = piece.row;
  do {
    out.front() = static_cast<std::byte>(rows_[row]);
    out = out.subspan(1);
    row = rows_[row] >> kRowShift;
  } while (!out.empty() && (rows_[row] & kRowMark) == 0);
  return row;
}

void PieceWalker::stitch(std::span<std::byte> out) const {
  std::uint32_t row = origin_;
  while (!out.empty()) {
    const Piece& piece = pieces_[piece_at(row)];
    if (piece.length == 0) {
      row = walk_alone(piece, out);
      continue;
    }
    const std::size_t length = std::min<std::size_t>(piece.length, out.size());
    std::memcpy(out.data(), lanes_ + piece.offset, length);
    out = out.subspan(length);
    row = piece.next_row;
  }
}

}  // namespace

void InverseBwt::walk(base::VectorPath path, std::uint32_t origin, std::span<std::byte> out) {
  PieceWalker walker(std::span(tables_->rows).first(out.size() + 1), origin, tables_->lanes.data(),
                     tables_->pieces.data());
  walker.walk(path);
  walker.stitch(out);
}

}  // namespace shardmill::codec
