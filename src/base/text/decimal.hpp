// decimal: arithmetic with numbers that were written in decimal, such as times in seconds, without the errors
// of binary fractions.
#pragma once

#include <cstdint>

namespace shardmill::base {

// A double stands here for the shortest decimal number that is read as it. This is the number as it was
// written if it had at most 15 digits: 0.29 times 100 is 29, although the double is smaller than 0.29.

/// The whole number nearest to `value` times `factor`; halves are rounded up. 0 for negative values, the
/// largest number for products that do not fit.
std::uint64_t rounded_product(double value, std::uint32_t factor);

/// 0.1 and 0.2 are 0.3.
double decimal_sum(double a, double b);

}  // namespace shardmill::base
