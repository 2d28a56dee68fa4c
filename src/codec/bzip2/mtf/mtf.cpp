#include "codec/bzip2/mtf/mtf.hpp"

#include "codec/bzip2/mtf/mtf_kernel.hpp"

namespace shardmill::codec {

namespace {

// The compiler's own vectors, which use the instructions that every CPU of the target has.
struct Ops {
  using Vector [[gnu::vector_size(16)]] = std::uint8_t;
  static constexpr std::size_t kLanes = 16;

  static Vector load16s(const std::uint8_t* from, std::size_t) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static void store16s(std::uint8_t* to, std::size_t, Vector v) { std::memcpy(to, &v, sizeof v); }
  static Vector unpack_low(Vector a, Vector b) {
    return base::shuffled<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b);
  }
  static Vector unpack_high(Vector a, Vector b) {
    return base::shuffled<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b);
  }
  static Vector move_back(Vector q, Vector p) {
    const Vector before = q - 1;
    const Vector low = before < p ? before : p;
    const Vector high = q > p ? q : p;
    return low + (high - p);
  }
  static std::uint8_t* append_kept(const std::uint8_t* from, const std::uint8_t* used, std::uint8_t* to) {
    std::uint64_t any[2];
    std::memcpy(any, used, sizeof any);
    if ((any[0] | any[1]) == 0) {
      std::memcpy(to, from, 16);
      return to + 16;
    }
    for (unsigned i = 0; i < 16; ++i) {
      *to = from[i];
      to += used[i] == 0 ? 1 : 0;
    }
    return to;
  }
  using List = MtfMemoryList<Ops>;
};

}  // namespace

void undo_move_to_front_portable(std::uint8_t* positions, std::size_t size, const std::uint8_t* list) {
  MtfKernel<Ops>::undo(positions, size, list);
}

void undo_move_to_front(base::VectorPath path, std::span<std::uint8_t> positions,
                        const MoveToFrontList& list) {
  switch (path) {
#if defined(__x86_64__)
    case base::VectorPath::avx512:
      return undo_move_to_front_avx512(positions.data(), positions.size(), list.data());
    case base::VectorPath::avx2:
      return undo_move_to_front_avx2(positions.data(), positions.size(), list.data());
    case base::VectorPath::ssse3:
      return undo_move_to_front_ssse3(positions.data(), positions.size(), list.data());
#elif defined(__aarch64__)
    case base::VectorPath::neon:
      return undo_move_to_front_neon(positions.data(), positions.size(), list.data());
#endif
    default:
      return undo_move_to_front_portable(positions.data(), positions.size(), list.data());
  }
}

}  // namespace shardmill::codec
