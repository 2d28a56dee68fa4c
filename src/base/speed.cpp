#include "base/speed.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/text/units.hpp"

namespace shardmill::base {

std::string format_speed(double times_real_time) {
  if (times_real_time < 9.95) return fmt::format("{:.1f}", times_real_time);
  return format_count(static_cast<std::uint64_t>(times_real_time + 0.5));
}

}  // namespace shardmill::base
