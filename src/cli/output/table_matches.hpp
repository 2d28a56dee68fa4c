// Text and JSON of what became of the tables that the user gave.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_writer.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

/// Rows of a summary.
std::string tables_as_text(const std::vector<repack::TableMatch>& tables);
/// The member `metadata`; nothing when there are no tables.
void write_tables(base::JsonWriter& json, const std::vector<repack::TableMatch>& tables);

}  // namespace shardmill::cli
