#include "source/set/parquet_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "shard/tar_input.hpp"
#include "source/split.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

/// Cuts "-00000-of-00012", and a hash after it, from the end of `name`; nullopt if it has no such end.
std::optional<PartNumber> cut_number(std::string& name) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t of = name.rfind("-of-");
  if (of == std::string::npos || of == 0) return std::nullopt;
  const std::string_view end = std::string_view(name).substr(of + 4);
  const std::size_t digits = std::min(end.find_first_not_of(kDigits), end.size());
  if (digits == 0 || digits > kMostDigits || (digits < end.size() && end[digits] != '-')) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, of - 1);
  if (before == std::string::npos || before == of - 1 || name[before] != '-' || before == 0 ||
      of - 1 - before > kMostDigits)
    return std::nullopt;
  const auto number = [](std::string_view text) {
    return static_cast<std::uint32_t>(std::stoul(std::string(text)));
  };
  const PartNumber part{.number = number(std::string_view(name).substr(before + 1, of - 1 - before)),
                        .parts = number(end.substr(0, digits)),
                        .digits = of - 1 - before};
  name.resize(before);
  return part;
}

}  // namespace

bool is_parquet_file(const std::string& path) {
  return shard::is_parquet(base::File::open_read(path));
}

std::string subset_of_parquet(const std::string& path) {
  fs::path rest(path);
  std::string name = rest.stem().string();
  if (cut_number(name).has_value() || split_of(name) != Split::other) return name;
  constexpr int kLevels = 2;
  for (int level = 0; level < kLevels; ++level) {
    rest = rest.parent_path();
    const std::string folder = rest.filename().string();
    constexpr std::string_view kPartial =
        "partial-";  // the Hub's conversion of the first gigabytes of a split
    if (folder.starts_with(kPartial) && split_of(folder.substr(kPartial.size())) != Split::other)
      return folder;
    if (split_of(folder) != Split::other) return folder;
  }
  return {};
}

void ParquetParts::add(const std::string& path) {
  const fs::path whole(path);
  std::string name = whole.stem().string();
  const auto part = cut_number(name);
  if (!part) return;
  Set& set = sets_[{(whole.parent_path() / name).string(), part->parts}];
  set.digits = part->digits;
  set.numbers.insert(part->number);
}

std::vector<Error> ParquetParts::missing() const {
  std::vector<Error> errors;
  for (const auto& [of, set] : sets_) {
    const auto& [name, parts] = of;
    // Some count from 1.
    const std::uint32_t begin = set.numbers.contains(parts) && !set.numbers.contains(0) ? 1 : 0;
    std::optional<std::uint32_t> first;
    std::uint32_t others = 0;
    for (std::uint32_t number = begin; number < parts + begin; ++number) {
      if (set.numbers.contains(number)) continue;
      others += first ? 1 : 0;
      if (!first) first = number;
    }
    if (!first) continue;
    const std::string also = others == 0 ? "" : fmt::format(", and neither are {} more", others);
    errors.emplace_back(
        fmt::format("is not there{}, but others of these {} parts are", also, parts),
        at(fmt::format("{}-{:0{}}-of-{:0{}}.parquet", name, *first, set.digits, parts, set.digits)),
        "download it; a pattern takes the files that are there");
  }
  return errors;
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
