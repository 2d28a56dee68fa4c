// cpu_speed: how fast one thread does a piece of work.
#pragma once

#include <functional>

namespace shardmill::base {

/// How many units per second `work` does; `work` returns how many units it did. The result is the fastest of
/// several rounds, which together take a tenth of a second, or of one round if that takes longer. Only CPU
/// time counts, so a busy machine does not matter. 0 when no work was done.
double cpu_speed(const std::function<double()>& work);

}  // namespace shardmill::base
