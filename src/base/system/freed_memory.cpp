#include "base/system/freed_memory.hpp"

#include <malloc.h>

namespace shardmill::base {

// glibc raises both limits by itself when large blocks are freed, unless they are set.
void give_back_freed_memory() noexcept {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

}  // namespace shardmill::base
