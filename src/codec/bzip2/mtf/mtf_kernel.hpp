// Undoes move-to-front in batches, for any vector type. Only the sources of the vector paths include this.
//
// The place of a symbol at the start of its batch can be computed from the positions alone, without the list.
// Take an earlier move from position p: before it, the symbol now at position 0 was at p, symbols now at 1 to
// p were one position lower, and all others were where they are now. So these places are computed first, for
// as many batches side by side as a vector has bytes. Then, batch by batch, the bytes are read from the list
// before the batch, and the list is updated once: the used bytes come to the front, the last used one first,
// and the others keep their order.
//
// `Ops` is a type of an unnamed namespace, which gives everything here internal linkage: the same code is
// compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shardmill::codec {

inline constexpr std::size_t kMtfBatch = 32;  // in symbols
inline constexpr std::size_t kMtfListBytes = 256;

/// Ops has: Vector; kLanes, the bytes of a vector; load16s(p, stride), which loads 16 bytes each from p, p +
/// stride, …, and store16s; unpack_low and unpack_high, which work on each 16 bytes; move_back(q, p), the
/// place of q before a move from p; List, the list and its update.
template <class Ops>
struct MtfKernel {
  using Vector = typename Ops::Vector;
  static constexpr std::size_t kStep = Ops::kLanes * kMtfBatch;  // the bytes that trace() takes

  // Transposes each square of 16x16 bytes.
  static void transpose(Vector* rows) {
    Vector other[16];
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 8; ++i) {
        other[2 * i] = Ops::unpack_low(rows[i], rows[i + 8]);
        other[2 * i + 1] = Ops::unpack_high(rows[i], rows[i + 8]);
      }
      for (int i = 0; i < 16; ++i) rows[i] = other[i];
    }
  }

  // Treats four symbols of each batch at a time, the last ones first, because they need the earlier positions
  // unchanged.
  static void trace_rows(Vector* rows) {
    for (std::size_t first = kMtfBatch; first > 0;) {
      first -= 4;
      Vector* const q = rows + first;
      Vector q1 = Ops::move_back(q[1], q[0]);
      Vector q2 = Ops::move_back(Ops::move_back(q[2], q[1]), q[0]);
      Vector q3 = Ops::move_back(Ops::move_back(Ops::move_back(q[3], q[2]), q[1]), q[0]);
      Vector q0 = q[0];
      for (std::size_t i = first; i-- > 0;) {
        const Vector p = rows[i];
        q0 = Ops::move_back(q0, p);
        q1 = Ops::move_back(q1, p);
        q2 = Ops::move_back(q2, p);
        q3 = Ops::move_back(q3, p);
      }
      q[0] = q0;
      q[1] = q1;
      q[2] = q2;
      q[3] = q3;
    }
  }

  // Replaces the positions of kLanes batches by the places of the symbols at the start of their batch.
  static void trace(std::uint8_t* bytes) {
    Vector rows[kMtfBatch];
    for (std::size_t half = 0; half < kMtfBatch; half += 16) {
      for (std::size_t i = 0; i < 16; ++i) {
        rows[half + i] = Ops::load16s(bytes + half + i * kMtfBatch, 16 * kMtfBatch);
      }
      transpose(rows + half);
    }
    trace_rows(rows);
    for (std::size_t half = 0; half < kMtfBatch; half += 16) {
      transpose(rows + half);
      for (std::size_t i = 0; i < 16; ++i) {
        Ops::store16s(bytes + half + i * kMtfBatch, 16 * kMtfBatch, rows[half + i]);
      }
    }
  }

  static void undo(std::uint8_t* bytes, std::size_t size, const std::uint8_t* list_bytes) {
    typename Ops::List list(list_bytes);
    for (; size >= kStep; bytes += kStep, size -= kStep) {
      trace(bytes);
      list.read_batches(bytes, Ops::kLanes);
    }
    if (size == 0) return;
    std::uint8_t rest[kStep] = {};  // a move from position 0 changes nothing
    std::memcpy(rest, bytes, size);
    trace(rest);
    list.read_batches(rest, (size + kMtfBatch - 1) / kMtfBatch);
    std::memcpy(bytes, rest, size);
  }
};

/// The list, kept in memory. Ops has append_kept(from, used, to), which writes those of 16 bytes whose `used`
/// is zero, and returns their end. It may write up to 16 bytes after `to`.
template <class Ops>
class MtfMemoryList {
 public:
  explicit MtfMemoryList(const std::uint8_t* bytes) { std::memcpy(lists_[0], bytes, kMtfListBytes); }

  /// Replaces the places of each batch (in the list before the batch) by the symbols there, and updates the
  /// list.
  void read_batches(std::uint8_t* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) read_batch(bytes + i * kMtfBatch);
  }

 private:
  void read_batch(std::uint8_t* bytes) {
    const std::uint8_t* const list = lists_[current_];
    current_ ^= 1;
    std::uint8_t* const next = lists_[current_];
    std::uint8_t places[kMtfBatch];
    std::memcpy(places, bytes, kMtfBatch);
    std::memset(last_use_, 0, sizeof last_use_);
    for (std::size_t i = 0; i < kMtfBatch; ++i) {
      bytes[i] = list[places[i]];
      last_use_[places[i]] = static_cast<std::uint8_t>(i + 1);
    }
    std::uint8_t* end = next;
    for (std::size_t i = kMtfBatch; i-- > 0;) {
      *end = bytes[i];
      end += last_use_[places[i]] == i + 1 ? 1 : 0;
    }
    for (std::size_t i = 0; i < kMtfListBytes; i += 16) end = Ops::append_kept(list + i, last_use_ + i, end);
  }

  std::uint8_t lists_[2][kMtfListBytes + kMtfBatch + 16];
  std::uint8_t last_use_[kMtfListBytes];  // by place: the number of the symbol that used it last, from 1
  unsigned current_ = 0;
};

/// For each set of 8 flags: the indices of those that are clear, in order.
struct KeptIndices {
  std::uint8_t indices[256][8];
  std::uint8_t count[256];
};

constexpr KeptIndices make_kept_indices() {
  KeptIndices kept{};
  for (unsigned flags = 0; flags < 256; ++flags) {
    unsigned count = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if ((flags >> i & 1) == 0) kept.indices[flags][count++] = static_cast<std::uint8_t>(i);
    }
    kept.count[flags] = static_cast<std::uint8_t>(count);
  }
  return kept;
}

inline constexpr KeptIndices kKeptIndices = make_kept_indices();

}  // namespace shardmill::codec
