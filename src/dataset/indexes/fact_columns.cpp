#include "dataset/indexes/fact_columns.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "dataset/indexes/manifest_lines.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

namespace {

using parquet::ValueKind;

/// Readers slow down long before. Such names come from data that stand where names should.
constexpr std::size_t kHighestFacts = 1000;

/// What all values of a fact have in common, as far as they were seen.
struct Seen {
  std::optional<ValueKind> kind;  // nullopt: only nulls
  bool fits_float = true;         // for int64: a float64 holds all of them exactly
};
using Kinds = std::map<std::string, Seen, std::less<>>;

std::optional<std::int64_t> whole(const base::JsonValue& number) {
  try {
    return number.integer();
  } catch (const Error&) {
    return std::nullopt;
  }
}

Seen seen_in(const base::JsonValue& value) {
  if (value.is_null()) return {};
  const std::string text = value.line();
  const char first = text.front();
  if (first == 't' || first == 'f') return {.kind = ValueKind::boolean};
  const bool is_number = first == '-' || (first >= '0' && first <= '9');
  if (!is_number) return {.kind = ValueKind::text};
  if (text.find_first_of(".eE") != text.npos) return {.kind = ValueKind::float64};
  // A text keeps all digits of what is too long for a number.
  const auto integer = whole(value);
  if (!integer) return {.kind = ValueKind::text};
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return {.kind = ValueKind::int64, .fits_float = *integer >= -kExact && *integer <= kExact};
}

/// The kind that holds both. The order of calls does not matter.
Seen joined(const Seen& one, const Seen& other) {
  Seen both{.kind = one.kind ? one.kind : other.kind, .fits_float = one.fits_float && other.fits_float};
  if (!one.kind || !other.kind || one.kind == other.kind) return both;
  const auto is_number = [](ValueKind kind) {
    return kind == ValueKind::int64 || kind == ValueKind::float64;
  };
  both.kind = is_number(*one.kind) && is_number(*other.kind) ? ValueKind::float64 : ValueKind::text;
  return both;
}

/// The kind of the column.
ValueKind settled(const Seen& seen) {
  if (seen.kind == ValueKind::float64 && !seen.fits_float) return ValueKind::text;
  return seen.kind.value_or(ValueKind::text);
}

void join(Kinds& kinds, std::string_view name, const Seen& seen) {
  auto found = kinds.find(name);
  if (found == kinds.end()) found = kinds.emplace(name, Seen{}).first;
  found->second = joined(found->second, seen);
  if (kinds.size() > kHighestFacts)
    throw Error(fmt::format("its samples have more than {} different facts, and each would be a column",
                            kHighestFacts));
}

Kinds kinds_in(const std::string& manifest, base::Reporter& reporter) {
  Kinds kinds;
  for_each_sample(manifest, reporter, [&](const manifest::SampleRecord&, const base::JsonValue& line) {
    for (const auto& [name, value] : line.members()) {
      if (!manifest::is_sample_field(name)) join(kinds, name, seen_in(value));
    }
  });
  return kinds;
}

}  // namespace

std::vector<FactColumn> find_fact_columns(const std::vector<ShardToIndex>& shards, pipeline::Workers& workers,
                                          base::Reporter& reporter) {
  Kinds all;
  std::mutex mutex;
  workers.for_each(shards.size(), [&](std::size_t i) {
    const Kinds kinds = kinds_in(shards[i].manifest, reporter);
    const std::lock_guard lock(mutex);
    for (const auto& [name, seen] : kinds) join(all, name, seen);
  });
  std::vector<FactColumn> columns;
  for (const auto& [name, seen] : all) columns.push_back({.fact = name, .kind = settled(seen)});
  return columns;
}

parquet::Value value_of(const FactColumn& column, const base::JsonValue& line, std::string& kept) {
  const auto value = line.find(column.fact);
  if (!value || value->is_null()) return {};
  switch (column.kind) {
    case ValueKind::boolean:
      return value->line() == "true";
    case ValueKind::int64:
      return value->integer();
    case ValueKind::float64:
      return value->number();
    case ValueKind::bytes:
    case ValueKind::text:
      break;
  }
  kept = value->line();
  if (kept.starts_with('"')) kept = value->text();
  return std::string_view(kept);
}

}  // namespace shardmill::dataset
