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
//
// We follow the chain backwards, from the end of the text. The table for that is written in the order of its
// rows; the table for the other direction is written at 256 places in turn, which takes longer.
constexpr unsigned kMaxStartsLog = 11;
constexpr unsigned kMinSpacingLog = 6;
constexpr std::size_t kMaxStarts = (std::size_t{1} << kMaxStartsLog) + 1;

struct Piece {
  std::uint32_t row_before;  // the start of the piece whose text comes before
  std::uint32_t offset;      // place in the lanes' memory
  std::uint32_t length;      // 0: not walked by a lane
};

}  // namespace

struct InverseBwt::Tables {
  std::array<std::uint32_t, kBzip2MaxBlockBytes + 2> rows;
  std::array<std::byte, kAllLanesBytes> lanes;
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
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    for (unsigned k = 0; k < 8; ++k) ++counts[k % 4][word >> 8 * k & 0xff];
  }
  for (; i < bytes.size(); ++i) ++counts[0][bytes[i]];
  for (std::size_t byte = 0; byte < 256; ++byte) {
    counts[0][byte] += counts[1][byte] + counts[2][byte] + counts[3][byte];
  }
  return counts[0];
}

}  // namespace

void InverseBwt::link(std::span<const std::uint8_t> last_column) {
  // Two halves with counters of their own, for the same reason.
  const std::size_t half = last_column.size() / 2;
  Histogram first = count_bytes(last_column.first(half));
  Histogram second = count_bytes(last_column.subspan(half));
  std::uint32_t sum = 0;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    sum += std::exchange(first[byte], sum << kRowShift | byte) + second[byte];
    second[byte] = (sum - second[byte]) << kRowShift | byte;
  }
  const auto entry_after = [](std::uint32_t& next) { return std::exchange(next, next + (1U << kRowShift)); };
  std::uint32_t* const rows = tables_->rows.data();
  for (std::size_t i = 0; i < half; ++i) {
    rows[i] = entry_after(first[last_column[i]]);
    rows[half + i] = entry_after(second[last_column[half + i]]);
  }
  if (last_column.size() > 2 * half) rows[2 * half] = entry_after(second[last_column.back()]);
}

namespace {

// Cuts the walk into pieces, walks them side by side, and puts them in order.
class PieceWalker {
 public:
  PieceWalker(std::span<std::uint32_t> rows, std::uint32_t origin, std::byte* lanes, Piece* pieces);

  void walk(base::VectorPath path);
  void stitch(std::span<std::byte> out) const;

 private:
  // The text, which grows from its end. Bytes that have no room are only counted.
  struct Text {
    std::span<std::byte> bytes;
    std::size_t missing;
    std::size_t count = 0;
  };
  std::uint32_t end_of_lane(std::size_t lane) const {
    return static_cast<std::uint32_t>((lane + 1) * shape_.bytes - lane_walk_.step);
  }
  void begin_piece(std::size_t lane);
  void end_pieces(std::uint64_t lanes);
  std::uint32_t put_piece(std::uint32_t row, Text& text) const;
  std::uint32_t walk_alone(std::uint32_t row, Text& text) const;

  RowTable table_{};
  std::uint32_t origin_;
  std::byte* lanes_;
  Piece* pieces_;
  LaneShape shape_{};
  unsigned spacing_log_;
  std::uint32_t idle_row_;      // of lanes without work: it leads to itself
  std::uint32_t origin_piece_;  // always the last one
  std::uint32_t next_piece_ = 0;
  unsigned busy_lanes_ = 0;
  std::array<Piece*, kMaxLanes> walking_{};
  LaneWalk lane_walk_;
};

// `rows` has two more entries than the block.
PieceWalker::PieceWalker(std::span<std::uint32_t> rows, std::uint32_t origin, std::byte* lanes, Piece* pieces)
    : origin_(origin), lanes_(lanes), pieces_(pieces) {
  const auto count = static_cast<std::uint32_t>(rows.size() - 2);
  const auto size_log = static_cast<unsigned>(std::bit_width(count - 1));
  spacing_log_ = std::max(size_log, kMinSpacingLog + kMaxStartsLog) - kMaxStartsLog;
  origin_piece_ = ((count - 1) >> spacing_log_) + 1;
  std::fill_n(pieces_, origin_piece_ + 1, Piece{.row_before = 0, .offset = 0, .length = 0});
  idle_row_ = count | 1;  // which is not a start
  rows[idle_row_] = idle_row_ << kRowShift;
  table_ = {.entries = rows.data(), .start_mask = (1U << spacing_log_) - 1};
}

void PieceWalker::begin_piece(std::size_t lane) {
  if (next_piece_ > origin_piece_) {
    lane_walk_.rows[lane] = idle_row_;
    return;
  }
  lane_walk_.rows[lane] = next_piece_ == origin_piece_ ? origin_ : next_piece_ << spacing_log_;
  walking_[lane] = &pieces_[next_piece_++];
  walking_[lane]->offset = end_of_lane(lane);
  ++busy_lanes_;
}

// Gives new work to the lanes whose piece has ended, because they have reached the start of another.
void PieceWalker::end_pieces(std::uint64_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    Piece& piece = *walking_[lane];
    const std::uint32_t begin = end_of_lane(lane);
    piece = {.row_before = lane_walk_.rows[lane], .offset = begin, .length = piece.offset - begin};
    --busy_lanes_;
    begin_piece(lane);
  }
}

void PieceWalker::walk(base::VectorPath path) {
  shape_ = lane_shape(path);
  for (std::size_t lane = 0; lane < shape_.count; ++lane) begin_piece(lane);
  while (busy_lanes_ > 0 && lane_walk_.step < shape_.bytes)
    end_pieces(advance_lanes(path, table_, shape_.bytes, lane_walk_, lanes_));
  const std::size_t whole = (lane_walk_.step + kLaneTile - 1) / kLaneTile * kLaneTile;
  advance_lanes(path, table_, whole, lane_walk_, lanes_);
}

// Walks a piece that had no room in the lanes. This is rare, because such a piece must be far longer than the
// mean.
std::uint32_t PieceWalker::walk_alone(std::uint32_t row, Text& text) const {
  do {
    const std::uint32_t entry = table_.entries[row];
    if (text.missing > 0) text.bytes[--text.missing] = static_cast<std::byte>(entry);
    ++text.count;
    row = entry >> kRowShift;
  } while (!table_.is_start(row) && row != origin_);
  return row;
}

/// Puts the piece that starts at `row` before the text. Returns the start of the piece before it.
std::uint32_t PieceWalker::put_piece(std::uint32_t row, Text& text) const {
  const Piece& piece = pieces_[row == origin_ ? origin_piece_ : row >> spacing_log_];
  if (piece.length == 0) return walk_alone(row, text);
  const std::size_t length = std::min<std::size_t>(piece.length, text.missing);
  text.missing -= length;
  text.count += piece.length;
  std::memcpy(text.bytes.data() + text.missing, lanes_ + piece.offset + (piece.length - length), length);
  return piece.row_before;
}

void PieceWalker::stitch(std::span<std::byte> out) const {
  Text text{.bytes = out, .missing = out.size()};
  const std::uint32_t last = put_piece(origin_, text);
  text.count = 0;
  std::uint32_t row = last;
  do {
    row = put_piece(row, text);
  } while (row != last);
  // Now all bytes of the cycle are there. In a sound block it has all rows; if not, it is repeated from the
  // start of the text on.
  const std::size_t cycle = text.count;
  if (cycle == out.size()) return;
  std::memmove(out.data(), out.data() + (out.size() - cycle), cycle);
  for (std::size_t i = cycle; i < out.size(); ++i) out[i] = out[i - cycle];
}

}  // namespace

void InverseBwt::walk(base::VectorPath path, std::uint32_t origin, std::span<std::byte> out) {
  PieceWalker walker(std::span(tables_->rows).first(out.size() + 2), origin, tables_->lanes.data(),
                     tables_->pieces.data());
  walker.walk(path);
  walker.stitch(out);
}

}  // namespace shardmill::codec
