// The tables for the samples that an update adds, and how many of their rows matched.
#pragma once

#include <vector>

#include "base/reporter.hpp"
#include "pipeline/table_join.hpp"
#include "repack/options.hpp"
#include "update/options.hpp"
#include "update/staging.hpp"

namespace shardmill::update {

/// Those that are given with the update, or else those that the dataset was made with and that are still
/// there, with a warning for others. Throws Error for one that has changed since.
std::vector<pipeline::TableFile> tables_for(const UpdateOptions& options,
                                            const std::vector<pipeline::TableFile>& of_dataset,
                                            const source::TreeOptions& tree, base::Reporter& reporter);

/// What became of the tables that were given with the update. Throws Error where one fits nothing.
std::vector<repack::TableMatch> match_tables(const UpdateOptions& options, const repack::RepackPlan& plan,
                                             const Staged& staged);

/// Adds the tables of an update to those that a dataset was made with, so that all of it can be made again.
void add_tables(const std::vector<pipeline::TableFile>& used, std::vector<pipeline::TableFile>& all);

}  // namespace shardmill::update
