#include "codec/bzip2/mtf/mtf.hpp"

namespace shardmill::codec {

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
