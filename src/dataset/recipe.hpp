// Recipe: what a dataset is asked to be, apart from its sources; its fields are known by name as text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "deal/shard_count.hpp"
#include "manifest/index_kind.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::dataset {

inline constexpr std::uint32_t kMostFilesAtATime = 256;

/// Everything that shapes the result. What only says how to work (threads, memory, --force) is not in it.
struct Recipe {
  deal::ShardSizing sizing;
  codec::Codec codec = codec::Codec::none;
  std::optional<int> level;
  bool seekable = false;
  std::string prefix = "audio";
  std::vector<manifest::IndexKind> indexes;  // for other projects' loaders
  pipeline::IntakeOptions intake;
  std::uint32_t interleave = 1;           // files of a dataset that are read at a time
  std::uint64_t seed = 0;                 // 0: files are read in the order given
  std::map<std::string, double> weights;  // by dataset
  std::uint32_t parity = 0;               // parity files of each group of shards
  std::string list_root;                  // stands in data.list for the folder's own path; empty: that path
};

/// Names of fields and their values: what dataset.json records, and journals go by.
using RecipeText = std::vector<std::pair<std::string, std::string>>;

/// All fields, in the order of the table in recipe_fields.cpp; those that are left out at their defaults are
/// left out. A recipe is recorded when its number of shards is settled.
RecipeText text_of(const Recipe& recipe);
/// Back again. A field that is missing has its default. Throws Error for a name or a value that is unknown.
Recipe recipe_of(const RecipeText& text);

/// The recipe as far as these fields go; nullopt when one of them is missing or its value is unknown.
std::optional<Recipe> known_fields(const RecipeText& text, std::initializer_list<std::string_view> fields);

/// Sets one field from what text_of() made of it, or from what a user writes: 250ms for 0.25. Fields that
/// hold several values get one more. Throws Error, whose problem goes on where "--NAME VALUE" ends: "is
/// unknown".
void set_field(Recipe& recipe, std::string_view name, std::string_view value);

/// What keeps a run that was begun with `old` from going on with `now`, in words for people:
/// "shards: was 32, now 16"; nullopt when nothing does. A policy that nothing has yet called for may change.
std::optional<std::string> difference(const RecipeText& old, const RecipeText& now);

/// Whether a finished dataset that was made with `old` is what `now` asks for; if not, the difference.
std::optional<std::string> difference_to_finished(const RecipeText& old, const RecipeText& now);

}  // namespace shardmill::dataset
