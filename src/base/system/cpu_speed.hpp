// cpu_speed: how fast one thread does a piece of work.
#pragma once

#include <functional>

namespace shardmill::base {

/// Units a second of `work`, which returns how many units it did: the fastest of several rounds, which take a
/// tenth of a second together, or one round if that takes longer. CPU time counts, so that a busy machine
/// does not falsify it. 0 when no work was done.
double cpu_speed(const std::function<double()>& work);

}  // namespace shardmill::base
