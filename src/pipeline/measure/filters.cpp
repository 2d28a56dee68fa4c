#include "pipeline/measure/filters.hpp"

#include <algorithm>

namespace shardmill::pipeline {

namespace {

bool knows(const KnownFacts& known, LooksAt what) {
  switch (what) {
    case LooksAt::seconds:
      return known.seconds.has_value();
    case LooksAt::text:
      return known.has_text.has_value();
    case LooksAt::quality:
      return known.quality.has_value();
  }
  return false;
}

}  // namespace

std::optional<std::pair<manifest::RejectReason, std::string>> find_filter(const KnownFacts& known,
                                                                          const Filters& filters) {
  for (const Filter& filter : kFilters) {
    if (filter.is_set(filters) && knows(known, filter.looks_at) && filter.leaves_out(known, filters))
      return std::pair(filter.reason, filter.problem(known, filters));
  }
  return std::nullopt;
}

bool is_any_set(const Filters& filters) {
  return std::ranges::any_of(kFilters, [&](const Filter& filter) { return filter.is_set(filters); });
}

bool need_quality(const Filters& filters) {
  return std::ranges::any_of(kFilters, [&](const Filter& filter) {
    return filter.looks_at == LooksAt::quality && filter.is_set(filters);
  });
}

}  // namespace shardmill::pipeline
