// Numbers that a Python script prints, and how a list is written in one.
#pragma once

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/python_output.hpp"

namespace shardmill::deal::steps::testing {

/// `[1, 2.5]`
inline std::string as_python(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", number);
  return text + "]";
}

/// What the script prints between blanks and ends of lines.
inline std::vector<double> numbers_of_python(std::string_view script) {
  std::istringstream in(shardmill::testing::python_output(script));
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace shardmill::deal::steps::testing
