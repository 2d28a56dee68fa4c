// The fields of a row of a CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

/// Without the quotes around them, and without blanks around those that stand in none. Throws Error for
/// quotes that make no sense.
std::vector<std::string> csv_fields(std::string_view record);

}  // namespace shardmill::source
