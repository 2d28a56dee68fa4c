// owned_files: which files of an output folder its records name. Those may be replaced and removed, no
// others.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dataset/index_files.hpp"

namespace shardmill::dataset {

/// Names within the folder, as "shards/audio_000000000.tar".
using FileNames = std::set<std::string>;

/// What decides how the files of a dataset are called.
struct DatasetNaming {
  std::string prefix;
  std::string codec_suffix;
  std::uint64_t shards = 0;
  IndexKinds indexes{};
  std::vector<std::string> datasets{};
  std::uint32_t parity = 0;
};

/// All files of such a dataset, records included. Where shards are beyond counting, not the last of them.
std::vector<std::string> names_in_dataset(const DatasetNaming& naming);

/// Of a dataset: all that its records name, the records themselves, its rank lists and its report. Records
/// that cannot be read name nothing. Empty where there is no dataset.
FileNames dataset_file_names(const std::string& folder);

/// Of rank lists: what plan.json and SHA256SUMS beside it name, and these two.
FileNames rank_file_names(const std::string& folder);

/// True for the name of a file that `index` or `repack --index` writes.
bool is_index_file_name(const std::string& name);

/// True for a page that `report` wrote.
bool is_report_page(const std::string& path);

/// True for a regular file, no link, with this SHA-256.
bool holds_just(const std::string& path, const std::string& sha256);

/// Throws Error when one of `names` stands for something that is not among `owned`: nothing that shardmill
/// did not make is replaced.
void check_not_taken(const std::string& folder, const std::vector<std::string>& names,
                     const FileNames& owned);

}  // namespace shardmill::dataset
