#include "repair/wanted_checksum.hpp"

#include <algorithm>

namespace shardmill::repair {

namespace {

/// A checksum in which a few digits were damaged is still told from one of another file.
bool is_nearly(const std::string& one, const std::string& other) {
  constexpr int kMostDigits = 16;
  if (one.size() != other.size()) return false;
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += one[i] != other[i] ? 1 : 0;
  return differing <= kMostDigits;
}

}  // namespace

std::optional<std::string> wanted_checksum(const std::vector<std::string>& told, const std::string& found) {
  if (told.empty()) return std::nullopt;
  const auto agrees = [&](const std::string& each) { return is_nearly(each, found); };
  if (std::any_of(told.begin(), told.end(), agrees)) return found;
  const auto nearly_first = std::find_if(told.begin() + 1, told.end(),
                                         [&](const auto& each) { return is_nearly(each, told.front()); });
  return nearly_first == told.end() ? told.front() : *nearly_first;
}

}  // namespace shardmill::repair
