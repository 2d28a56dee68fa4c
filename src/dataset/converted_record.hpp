// converted_record: what convert records about each result, in a file .shardmill/converted/RESULT next to it.
// Several runs may work in one folder at the same time, each on its own results.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::dataset {

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
