#include "source/source_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "source/names/number_range.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kWildcards = "*?[";

bool fits_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

/// s3://BUCKET/PREFIX/ stands for all shards and archives below it.
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

}  // namespace shardmill::source
