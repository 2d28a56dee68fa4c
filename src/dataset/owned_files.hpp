// owned_files: which files of an output folder its records name; only those may be replaced or removed.
// converted_record: what convert records about each result, in a file .shardmill/converted/RESULT next to
// it. Several runs may work in one folder at the same time, each on its own results.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/forms.hpp"

namespace shardmill::dataset {

/// Names relative to the folder, such as "shards/audio_000000000.tar".
using FileNames = std::set<std::string>;

/// What determines the names of a dataset's files.
struct DatasetNaming {
  std::string prefix;
  std::string codec_suffix;
  std::uint64_t shards = 0;
  Forms indexes{};
  std::vector<std::string> datasets{};
  std::uint32_t parity = 0;
};

/// All files of such a dataset, including records. When there are too many shards, only some of them.
std::vector<std::string> names_in_dataset(const DatasetNaming& naming);

/// For a dataset: all files that its records name, the records themselves, its rank lists and its report. A
/// record that cannot be read names nothing. Empty when there is no dataset.
FileNames dataset_file_names(const std::string& folder);

/// For rank lists: plan.json and SHA256SUMS in that folder, and the files that they name.
FileNames rank_file_names(const std::string& folder);

/// True for a page that `report` wrote.
bool is_report_page(const std::string& path);

/// True for a regular file (and not a link) with this SHA-256.
bool holds_just(const std::string& path, const std::string& sha256);

/// Throws Error when one of `names` exists but is not among `owned`, because files that shardmill did not
/// make are never replaced.
void check_not_taken(const std::string& folder, const std::vector<std::string>& names,
                     const FileNames& owned);

inline constexpr std::string_view kConvertedFolderName = "converted";  // in .shardmill

/// True when `folder` has records of convert's results, and so belongs to convert.
bool holds_converted_records(const std::string& folder);
/// True when a .shardmill/converted contains only such records, or nothing yet.
bool holds_only_converted_records(const std::string& records_folder);

/// The record of one result; nullopt when convert did not make it.
std::optional<std::string> read_converted_record(const std::string& folder, const std::string& result_name);
/// Write this before the result, so that no result is ever without a record. The record is durable on return.
void write_converted_record(const std::string& folder, const std::string& result_name,
                            std::string_view details);

}  // namespace shardmill::dataset
