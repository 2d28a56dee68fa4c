// report_page: the figures of a dataset as one HTML page that needs no other files.
#pragma once

#include <functional>
#include <string>

#include "page/markup_writer.hpp"
#include "report/facts.hpp"

namespace shardmill::report {

/// Deterministic. The page stays well below a megabyte, however many shards, datasets and sources there are.
std::string report_page(const ReportFacts& facts);

/// A page with this heading. `add_content` begins inside <header>, and closes it.
std::string whole_page(const std::string& name, const std::function<void(page::MarkupWriter&)>& add_content);

/// The last part of the folder's path, as headings show it.
std::string folder_name(const ReportFacts& facts);

}  // namespace shardmill::report
