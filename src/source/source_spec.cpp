#include "source/source_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kWildcards = "*?[";

bool fits_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

/// s3://BUCKET/PREFIX/ means all shards and archives below it.
bool is_prefix(std::string_view path) {
  return path.starts_with("s3://") && path.ends_with('/');
}

}  // namespace

bool is_dataset_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), fits_a_name);
}

SourceSpec parse_source(std::string_view argument) {
  SourceSpec spec;
  const std::size_t equals = argument.find('=');
  const std::string_view before = argument.substr(0, equals);
  if (equals != std::string_view::npos && is_dataset_name(before)) {
    spec.dataset = before;
    argument.remove_prefix(equals + 1);
  }
  if (argument.empty()) {
    throw UsageError(spec.dataset ? fmt::format("'{}=' names no source", *spec.dataset) : "a source is empty",
                     {}, "give a shard, a folder of shards, a list or a pattern");
  }
  spec.path = argument;
  if (base::is_remote(argument)) {
    spec.path = base::known_address(spec.path);
    return spec;
  }
  const std::size_t colon = argument.find(':');
  if (colon != std::string_view::npos) spec.corpus = corpus_with_prefix(argument.substr(0, colon));
  spec.is_dataset = argument.substr(0, colon) == "dataset" && colon != std::string_view::npos;
  spec.is_parquet = argument.substr(0, colon) == "parquet" && colon != std::string_view::npos;
  if (spec.corpus == nullptr && !spec.is_dataset && !spec.is_parquet) return spec;
  spec.path = base::known_address(std::string(argument.substr(colon + 1)));
  // What ends in a slash in a bucket means all shards below it.
  if (spec.is_dataset && base::is_remote(spec.path)) spec.path = base::without_end_slashes(spec.path);
  if (spec.path.empty()) throw UsageError(fmt::format("'{}' names no source", argument));
  return spec;
}

bool is_pattern(std::string_view path) {
  if (base::is_remote(path)) return find_number_range(path) || is_prefix(path);
  return path.find_first_of(kWildcards) != std::string_view::npos || find_number_range(path);
}

std::string fixed_part(std::string_view pattern) {
  const std::size_t range = find_number_range(pattern).value_or(pattern.size());
  if (base::is_remote(pattern)) return std::string(pattern.substr(0, pattern.substr(0, range).rfind('/')));
  const std::size_t slash = pattern.substr(0, std::min(pattern.find_first_of(kWildcards), range)).rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(pattern.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string dataset_name_from(std::string_view file_name) {
  std::string name(file_name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !fits_a_name(c); }, '_');
  return name.empty() ? "data" : name;
}

namespace {

constexpr std::uint64_t kMostNames = 1'000'000;

struct NumberRange {
  std::size_t begin = 0;  // in the path, with the brackets
  std::size_t end = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t digits = 0;  // of each number, padded with zeros; 0: as many as it has
};

/// Takes the digits at the start of `text`. `digits`: of the longest number with zeros in front so far.
std::optional<std::uint64_t> take_number(std::string_view& text, std::size_t& digits) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  const auto length = static_cast<std::size_t>(end - text.data());
  if (length > 1 && text.front() == '0') digits = std::max(digits, length);
  text.remove_prefix(length);
  return number;
}

/// The range whose opening bracket is at `begin`.
std::optional<NumberRange> range_at(std::string_view path, std::size_t begin, std::string_view open,
                                    std::string_view close) {
  std::string_view rest = path.substr(begin + open.size());
  std::size_t digits = 0;
  const auto first = take_number(rest, digits);
  if (!first || !rest.starts_with("..")) return std::nullopt;
  rest.remove_prefix(2);
  const auto last = take_number(rest, digits);
  if (!last || !rest.starts_with(close) || *last < *first) return std::nullopt;
  return NumberRange{.begin = begin,
                     .end = path.size() - rest.size() + close.size(),
                     .first = *first,
                     .last = *last,
                     .digits = digits};
}

std::optional<NumberRange> first_range(std::string_view path) {
  struct Brackets {
    std::string_view open;
    std::string_view close;
  };
  constexpr std::array<Brackets, 2> kBrackets{{{"{", "}"}, {"_OP_", "_CL_"}}};
  for (std::size_t at = 0; at < path.size(); ++at) {
    for (const auto& [open, close] : kBrackets) {
      if (!path.substr(at).starts_with(open)) continue;
      if (const auto range = range_at(path, at, open, close)) return range;
    }
  }
  return std::nullopt;
}

void expand(const std::string& path, std::vector<std::string>& names) {
  const auto range = first_range(path);
  if (!range) {
    names.push_back(path);
    return;
  }
  for (std::uint64_t number = range->first; number <= range->last; ++number) {
    if (names.size() >= kMostNames) {
      throw UsageError(fmt::format("means more than {} names", kMostNames), at(path));
    }
    expand(fmt::format("{}{:0{}}{}", path.substr(0, range->begin), number, range->digits,
                       path.substr(range->end)),
           names);
  }
}

}  // namespace

std::optional<std::size_t> find_number_range(std::string_view path) {
  const auto range = first_range(path);
  return range ? std::optional(range->begin) : std::nullopt;
}

std::vector<std::string> expand_number_ranges(const std::string& path) {
  std::vector<std::string> names;
  expand(path, names);
  return names;
}

}  // namespace shardmill::source
