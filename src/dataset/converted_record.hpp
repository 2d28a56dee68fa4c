// converted_record: what convert knows of its results: a file for each, .shardmill/converted/RESULT beside
// them. Several runs may work in one folder at a time, each on its own results.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::dataset {

inline constexpr std::string_view kConvertedFolderName = "converted";  // in .shardmill

/// True when results of convert are recorded in `folder`: it is convert's.
bool holds_converted_records(const std::string& folder);
/// True when there is nothing in a .shardmill/converted but such records, or nothing at all yet.
bool holds_only_converted_records(const std::string& records_folder);

/// What is recorded of one result; nullopt when it is not convert's.
std::optional<std::string> read_converted_record(const std::string& folder, const std::string& result_name);
/// Written before the result is, so that one is never there without the other; durable when it returns.
void write_converted_record(const std::string& folder, const std::string& result_name,
                            std::string_view details);

}  // namespace shardmill::dataset
