// Asks what this machine can run: for tests of code that is there for one instruction set.
#pragma once

#include <algorithm>

#include "base/system/vector_path.hpp"

namespace shardmill::testing {

inline bool can_run(base::VectorPath path) {
  const auto paths = base::available_vector_paths();
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

}  // namespace shardmill::testing
