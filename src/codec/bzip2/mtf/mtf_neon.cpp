#if defined(__aarch64__)

#include <arm_neon.h>

#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/mtf/mtf_kernel.hpp"

namespace shardmill::codec {

namespace {

struct Ops {
  using Vector = uint8x16_t;
  static constexpr std::size_t kLanes = 16;

  static Vector load16s(const std::uint8_t* from, std::size_t) { return vld1q_u8(from); }
  static void store16s(std::uint8_t* to, std::size_t, Vector v) { vst1q_u8(to, v); }
  static Vector unpack_low(Vector a, Vector b) { return vzip1q_u8(a, b); }
  static Vector unpack_high(Vector a, Vector b) { return vzip2q_u8(a, b); }
  static Vector move_back(Vector q, Vector p) {
    return vaddq_u8(vminq_u8(vsubq_u8(q, vdupq_n_u8(1)), p), vqsubq_u8(q, p));
  }
  static std::uint8_t* append_kept(const std::uint8_t* from, const std::uint8_t* used, std::uint8_t* to) {
    // One bit for each used place. Each half of the vector collects its bits in its first byte.
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(vtstq_u8(vld1q_u8(used), vdupq_n_u8(0xff)), bit);
    to = append_kept8(from, vaddv_u8(vget_low_u8(bits)), to);
    return append_kept8(from + 8, vaddv_u8(vget_high_u8(bits)), to);
  }
  static std::uint8_t* append_kept8(const std::uint8_t* from, unsigned used, std::uint8_t* to) {
    vst1_u8(to, vtbl1_u8(vld1_u8(from), vld1_u8(kKeptIndices.indices[used])));
    return to + kKeptIndices.count[used];
  }
  using List = MtfMemoryList<Ops>;
};

}  // namespace

void undo_move_to_front_neon(std::uint8_t* positions, std::size_t size, const std::uint8_t* list) {
  MtfKernel<Ops>::undo(positions, size, list);
}

}  // namespace shardmill::codec

#endif
