#include "shardmill/version.hpp"

#include "base/version.hpp"

namespace shardmill {

std::string_view version() noexcept {
  return base::version();
}

}  // namespace shardmill
