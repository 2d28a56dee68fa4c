// What the module has for plans of batches: their type, and the functions that it is fed with.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// shuffled(seed, number, count) -> the numbers below `count` in an order that follows from the others
PyObject* shuffled_function(PyObject* module, PyObject* arguments);

/// lengths_in(lines) -> bytes with the length of each sample in these lines of a manifest: frames of 10 ms,
/// as numbers of 32 bits. Raises a ValueError with the number of the first line without a length.
PyObject* lengths_in_function(PyObject* module, PyObject* lines);

/// BatchPlan(samples, buffer, seed, frames, bounds, lengths), with `lengths(first, count)` -> bytes as above.
/// Iterates over the batches, each a list of places.
///   survey() -> {size: number of batches}
///   settle(rounds, threshold, quota) -> number of batches; allows the next two
///   checkpoint(number) -> (first place, number, quota, open batches as bytes)
///   samples_from(number) -> how many samples the batches from `number` on have
///   begin(rounds, threshold, checkpoint), and skip(batches)
///   open_places() -> the places in open batches
Object batch_plan_type();

}  // namespace shardmill::python
