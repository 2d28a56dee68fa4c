// How many times as fast as real time, for people.
#pragma once

#include <string>

namespace shardmill::base {

/// "1.0", "9.3", "12,345": as it stands before "times", which is never a single one.
std::string format_speed(double times_real_time);

}  // namespace shardmill::base
