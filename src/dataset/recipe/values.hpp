// Writes values of recipe fields as text, and reads them. The functions that read throw Error; its problem
// continues the sentence that "--NAME VALUE" begins: "is not a number".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/intake_options.hpp"

namespace shardmill::dataset {

inline constexpr std::string_view kNone = "none";
inline constexpr std::string_view kNoFile = "(none)";  // a file may well be called none

std::uint64_t number_of(std::string_view text);
/// A number from 1.
std::uint64_t positive_of(std::string_view text);
/// A plain number of seconds as it is recorded, or with units as people write it.
double seconds_of(std::string_view text);
double decimal_of(std::string_view text, std::string_view problem);

/// "1%", or "none".
std::string percent_text(const std::optional<double>& percent);
std::optional<double> percent_of(std::string_view text);

/// "none" for 0.
std::string limit_text(std::uint64_t limit);

/// "a=2,b=0.5", or "none".
std::string numbers_text(const std::map<std::string, double>& numbers);
/// Calls `take` with each name and value of "a=2,b=0.5"; a value without a name has an empty one.
void for_each_value(std::string_view text, const std::function<void(std::string, std::string_view)>& take);
void read_weights(std::map<std::string, double>& weights, std::string_view text);

/// The hash of the keys, as far as it is known, and the path of their file.
/// The hashes of the tables and whose they are, then their paths, each on a line.
std::string tables_text(const std::vector<pipeline::TableFile>& tables);
/// Adds what tables_text() made, or one [NAME=]FILE as a user writes it.
void read_tables(std::vector<pipeline::TableFile>& tables, std::string_view text);

std::string key_file_text(const pipeline::KeyFile& file);
void read_key_file(pipeline::KeyFile& file, std::string_view text);

}  // namespace shardmill::dataset
