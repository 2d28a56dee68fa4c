// second_try: refines small datasets again from other starts, where one start leaves the shards uneven.
#pragma once

#include <span>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

/// With few samples, refine() often ends where no exchange between two shards helps, but a different start
/// leads further. This exchanges some samples at random, refines, and keeps the result if it is more even;
/// until wanted_spread() is reached or a fixed amount of work is done. The same on every machine.
void refine_again(Placement& placement, std::span<const HeldSample> held);

}  // namespace shardmill::deal
