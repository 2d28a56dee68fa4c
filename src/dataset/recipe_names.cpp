#include "dataset/recipe_names.hpp"

#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "dataset/recipe/recipe_fields.hpp"
#include "dataset/recipe/values.hpp"

namespace shardmill::dataset {

std::vector<std::string_view> recipe_field_names() {
  std::vector<std::string_view> names;
  for (const RecipeField& field : recipe_fields()) {
    if (!field.is_derived) names.push_back(field.name);
  }
  return names;
}

void set_sizing(deal::ShardSizing& sizing, std::string_view name, std::string_view value) {
  using By = deal::ShardSizing::By;
  const auto set = [&](By by, std::uint64_t amount) {
    if (amount == 0) throw Error("must be more than 0");
    sizing.by = by;
    sizing.amount = amount;
  };
  try {
    if (name == "shard-size") return set(By::bytes, base::parse_size(value));
    if (name == "shard-duration") {
      const double seconds = std::ceil(base::parse_duration_seconds(value));
      return set(By::seconds, static_cast<std::uint64_t>(seconds));
    }
  } catch (const UsageError& error) {
    throw Error(name == "shard-size" ? "is not a size" : "is not a duration", {}, error.advice());
  }
  if (name == "shards") return set(By::shards, positive_of(value));
  if (name == "shard-samples") return set(By::samples, positive_of(value));
  sizing.multiple_of = positive_of(value);
}

}  // namespace shardmill::dataset
