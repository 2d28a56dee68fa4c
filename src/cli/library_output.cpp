#include "cli/library_output.hpp"

#include <cstdio>

namespace shardmill::cli {

void silence_libraries() noexcept {
  // glibc lets its streams be replaced.
  if (std::FILE* const nowhere = std::fopen("/dev/null", "we"); nowhere != nullptr) stderr = nowhere;
}

}  // namespace shardmill::cli
