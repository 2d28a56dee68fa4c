// What the columns of a table of labels say of times: by their names, which part of a stretch and in which
// unit, and by their values, how many seconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "source/tables/table_shape.hpp"

namespace shardmill::source {

/// What a column may say. A count is a place in samples, frames or bytes.
enum class TimeRole { none, begin, end, length, count_of_begin, count_of_end, count_of_length };

/// A second, or a part of one, is `seconds`, or `per_second` of them are one; both 0: it counts something
/// else.
struct TimeUnit {
  std::string_view name;
  double seconds = 0;
  double per_second = 0;
};
/// Of a name without a unit.
inline constexpr TimeUnit kPlainSeconds{"", 1, 1};

struct TimeMeaning {
  TimeRole role = TimeRole::none;
  std::size_t rank = 0;  // of several names of one role, the lowest counts
  const TimeUnit* unit = &kPlainSeconds;
};

/// Of a usual name, such as "start_ms".
TimeMeaning meaning_of(std::string_view column);
/// True for a word such as "ms", and for "time".
bool is_unit_of_time(std::string_view word);

/// In small letters, without what divides words.
std::string letters_of(std::string_view column);
/// Of all alphabets.
bool is_letter_or_digit(char c);

/// Nullopt for a text, or for a number as only programs write it.
std::optional<double> number_in(const TableField& field);
/// Throws Error for a field that is not a number.
double seconds_of(const TableField& field, const TimeUnit& unit);

}  // namespace shardmill::source
