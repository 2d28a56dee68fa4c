// Says of the tables that the user gave which rows found no sample, and which samples no row.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake_options.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// The account of each table, from the finished lists of samples and of rejects. Throws Error where a table
/// fits nothing at all or a row fits several samples, and FatalError when a table has changed.
std::vector<TableMatch> account_of_tables(const pipeline::IntakeOptions& intake,
                                          const pipeline::IntakeCounts& counts,
                                          const std::string& samples_path, const std::string& rejects_path);

/// That no row of the table belongs to a sample. `example`: the key of one.
Error no_match_error(const pipeline::TableFile& table, const std::string& example);

}  // namespace shardmill::repack
