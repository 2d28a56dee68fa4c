// For the shifts of BMI2, which every CPU with AVX2 has.
#if defined(__x86_64__)

#include "codec/gzip/deflate_kernel.hpp"
#include "codec/gzip/deflate_loop.hpp"

namespace shardmill::codec {

namespace {

struct Avx2 {};

}  // namespace

DeflateLoopEnd run_deflate_loop_avx2(DeflateLoop<std::uint8_t>& loop) {
  return DeflateKernel<Avx2, std::uint8_t>::run(loop);
}

DeflateLoopEnd run_deflate_loop_avx2(DeflateLoop<std::uint16_t>& loop) {
  return DeflateKernel<Avx2, std::uint16_t>::run(loop);
}

}  // namespace shardmill::codec

#endif
