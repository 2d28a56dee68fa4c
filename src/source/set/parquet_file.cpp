#include "source/set/parquet_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "shard/tar_input.hpp"
#include "source/split.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

/// Takes "-00000-of-00012" from the end of a name, and a hash after it; false if it has no such end.
bool cut_number(std::string& name) {
  const std::size_t of = name.rfind("-of-");
  if (of == std::string::npos || of == 0) return false;
  const std::string_view end = std::string_view(name).substr(of + 4);
  const std::size_t digits = std::min(end.find_first_not_of(kDigits), end.size());
  if (digits == 0 || (digits < end.size() && end[digits] != '-')) return false;
  const std::size_t before = name.find_last_not_of(kDigits, of - 1);
  if (before == std::string::npos || before == of - 1 || name[before] != '-' || before == 0) return false;
  name.resize(before);
  return true;
}

}  // namespace

bool is_parquet_file(const std::string& path) {
  return shard::is_parquet(base::File::open_read(path));
}

std::string subset_of_parquet(const std::string& path) {
  fs::path rest(path);
  std::string name = rest.stem().string();
  if (cut_number(name) || split_of(name) != Split::other) return name;
  constexpr int kLevels = 2;
  for (int level = 0; level < kLevels; ++level) {
    rest = rest.parent_path();
    const std::string folder = rest.filename().string();
    if (split_of(folder) != Split::other) return folder;
  }
  return {};
}

ParquetRows look_into_parquet(const std::string& path, const TreeOptions& options) {
  const shard::ParquetFacts facts = shard::parquet_facts(base::File::open_read(path));
  std::vector<std::string> columns;
  for (const std::string& column : facts.columns) columns.push_back(printable(column));
  const std::string list = fmt::format("{}", fmt::join(columns, ", "));
  const std::string& wanted = options.text_field;
  const bool has_wanted =
      std::find(facts.columns.begin(), facts.columns.end(), wanted) != facts.columns.end();
  if (!wanted.empty() && !has_wanted && !options.text_field_is_elsewhere)
    throw Error(fmt::format("has no column '{}': its columns are {}", printable(wanted), list), at(path));
  return {.subset = subset_of_parquet(path), .columns = list};
}

}  // namespace shardmill::source
