#include "base/version.hpp"

namespace shardmill::base {

std::string_view version() noexcept {
  return SHARDMILL_VERSION;
}

}  // namespace shardmill::base
