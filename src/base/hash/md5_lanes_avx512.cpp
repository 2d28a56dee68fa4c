#if defined(__x86_64__)

#include "base/hash/md5_kernel.hpp"

namespace shardmill::base {

namespace {

struct Path {};

}  // namespace

void update_md5_lanes_avx512(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks) {
  Md5Kernel<Path>::update(words, data, blocks);
}

}  // namespace shardmill::base

#endif
