#include "codec/gzip/deflate_loop.hpp"

#include "base/system/vector_path.hpp"
#include "codec/gzip/deflate_kernel.hpp"

namespace shardmill::codec {

namespace {

struct Portable {};

#if defined(__x86_64__)
bool has_avx2() {
  static const bool has = base::chosen_vector_path() == base::VectorPath::avx2 ||
                          base::chosen_vector_path() == base::VectorPath::avx512;
  return has;
}
#endif

template <typename Symbol>
DeflateLoopEnd run(DeflateLoop<Symbol>& loop) {
#if defined(__x86_64__)
  if (has_avx2()) return run_deflate_loop_avx2(loop);
#endif
  return DeflateKernel<Portable, Symbol>::run(loop);
}

}  // namespace

DeflateLoopEnd run_deflate_loop(DeflateLoop<std::uint8_t>& loop) {
  return run(loop);
}

DeflateLoopEnd run_deflate_loop(DeflateLoop<std::uint16_t>& loop) {
  return run(loop);
}

}  // namespace shardmill::codec
