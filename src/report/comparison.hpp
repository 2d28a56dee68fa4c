// The page about several datasets, drawn on the same scales.
#pragma once

#include <string>
#include <vector>

#include "report/facts.hpp"

namespace shardmill::report {

/// One self-contained page for all folders, in their order. There is at least one.
std::string comparison_page(const std::vector<ReportFacts>& all);

}  // namespace shardmill::report
