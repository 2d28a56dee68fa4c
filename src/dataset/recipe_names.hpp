// The options of a recipe by their names, as users give them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "deal/shard_count.hpp"

namespace shardmill::dataset {

/// The names of the fields that set_field() sets for a user, in the order of their table, without fields that
/// follow from others.
std::vector<std::string_view> recipe_field_names();

/// The options for the number of shards; a user gives at most one of them.
inline constexpr std::array<std::string_view, 4> kShardCountOptions{"shards", "shard-samples", "shard-size",
                                                                    "shard-duration"};

/// Sets one of kShardCountOptions, or "multiple-of", from what a user writes. Throws Error like set_field().
void set_sizing(deal::ShardSizing& sizing, std::string_view name, std::string_view value);

}  // namespace shardmill::dataset
