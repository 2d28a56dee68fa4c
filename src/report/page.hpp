// The report about a dataset, or about several, as one HTML page that needs no other files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "page/markup_writer.hpp"
#include "report/facts.hpp"

namespace shardmill::report {

/// Deterministic. The page stays well below a megabyte, however many shards, datasets and sources there are.
std::string report_page(const ReportFacts& facts);

/// A page with this heading. `add_content` begins inside <header>, and closes it.
std::string whole_page(const std::string& name, const std::function<void(page::MarkupWriter&)>& add_content);

/// The last part of the folder's path, as headings show it.
std::string folder_name(const ReportFacts& facts);

/// One page about several datasets, in their order and on the same scales. `all` must not be empty.
std::string comparison_page(const std::vector<ReportFacts>& all);

}  // namespace shardmill::report
