#include "base/hash/md5_lanes.hpp"

namespace shardmill::base {

UpdateMd5Lanes md5_lanes_update([[maybe_unused]] VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx512) return update_md5_lanes_avx512;
  if (path == VectorPath::avx2) return update_md5_lanes_avx2;
#endif
  return nullptr;
}

}  // namespace shardmill::base
