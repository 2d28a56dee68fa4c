// lhotse/: the folder that Lhotse takes as `indexes_root`, in a dataset with Energon's indexes beside its
// tars. Names below it contain the place of the dataset, so they are not in SHA256SUMS.
#pragma once

#include <string>
#include <vector>

#include "dataset/index_files.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

/// The indexes that the dataset was made with or got later, by all of its records that can be read.
IndexKinds index_kinds_of(const DatasetRecords& records);
/// Adds to `kinds` those of `present` that must be written with them, because they share file names.
IndexKinds with_companions(IndexKinds kinds, const IndexKinds& present);

/// True when the dataset has the indexes of Energon and of Lhotse.
bool has_lhotse_root(const DatasetRecords& records);
/// Compares the folder with the indexes beside the shards and manifests, and notes indexes of Lhotse that are
/// older than their data. Compares nothing where a record cannot be read, which others report.
void check_lhotse_root(const DatasetRecords& records, FindingList& findings);
/// Writes the folder for shards below `root`, and removes the indexes for another place. Returns the names of
/// the files.
std::vector<std::string> write_lhotse_root(const DatasetRecords& records, const std::string& root);
/// The files below lhotse/ that are indexes of these shards and manifests, for any place.
std::vector<std::string> rooted_files(const std::string& folder, const std::vector<std::string>& names);
/// Gives indexes of Lhotse that are older than their data the time of now: Lhotse's packs refuse older ones.
void refresh_lhotse_indexes(const DatasetRecords& records);

}  // namespace shardmill::dataset
