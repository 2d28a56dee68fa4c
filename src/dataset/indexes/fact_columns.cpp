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

/// Of the facts that were seen; nullopt: only nulls so far.
using Kinds = std::map<std::string, std::optional<ValueKind>, std::less<>>;

bool is_whole(const base::JsonValue& number) {
  try {
    number.integer();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::optional<ValueKind> kind_of(const base::JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  const std::string text = value.line();
  const char first = text.front();
  if (first == 't' || first == 'f') return ValueKind::boolean;
  const bool is_number = first == '-' || (first >= '0' && first <= '9');
  if (!is_number) return ValueKind::text;
  if (text.find_first_of(".eE") != text.npos) return ValueKind::float64;
  // A text keeps all digits of what is too long for a number.
  return is_whole(value) ? ValueKind::int64 : ValueKind::text;
}

/// The kind that holds both. The order of calls does not matter.
std::optional<ValueKind> joined(std::optional<ValueKind> one, std::optional<ValueKind> other) {
  if (!one || one == other) return other;
  if (!other) return one;
  const auto is_number = [](ValueKind kind) {
    return kind == ValueKind::int64 || kind == ValueKind::float64;
  };
  return is_number(*one) && is_number(*other) ? ValueKind::float64 : ValueKind::text;
}

void join(Kinds& kinds, std::string_view name, std::optional<ValueKind> kind) {
  auto found = kinds.find(name);
  if (found == kinds.end()) found = kinds.emplace(name, std::nullopt).first;
  found->second = joined(found->second, kind);
  if (kinds.size() > kHighestFacts)
    throw Error(fmt::format("its samples have more than {} different facts, and each would be a column",
                            kHighestFacts));
}

Kinds kinds_in(const std::string& manifest, base::Reporter& reporter) {
  Kinds kinds;
  for_each_sample(manifest, reporter, [&](const manifest::SampleRecord&, const base::JsonValue& line) {
    for (const auto& [name, value] : line.members()) {
      if (!manifest::is_sample_field(name)) join(kinds, name, kind_of(value));
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
    for (const auto& [name, kind] : kinds) join(all, name, kind);
  });
  std::vector<FactColumn> columns;
  for (const auto& [name, kind] : all)
    columns.push_back({.fact = name, .kind = kind.value_or(ValueKind::text)});
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
