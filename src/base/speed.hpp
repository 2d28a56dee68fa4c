// Speeds as multiples of real time, written for people.
#pragma once

#include <string>

namespace shardmill::base {

/// "1.0", "9.3", "12,345". Goes before "times", so even 1 is written as "1.0".
std::string format_speed(double times_real_time);

}  // namespace shardmill::base
