// report_page: the figures of a dataset as one HTML page that needs no other files.
#pragma once

#include <string>

#include "report/facts.hpp"

namespace shardmill::report {

/// Deterministic. The page stays well below a megabyte, however many shards, datasets and sources there are.
std::string report_page(const ReportFacts& facts);

}  // namespace shardmill::report
