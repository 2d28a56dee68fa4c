#include "shardmill/cli/cli.hpp"

namespace shardmill::cli {

int run(int, char**) noexcept {
  return 2;
}

}  // namespace shardmill::cli
