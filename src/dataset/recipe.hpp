// Recipe: what a dataset is asked to be, apart from its sources; its fields are known by name as text.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "dataset/forms.hpp"
#include "deal/even.hpp"
#include "deal/loader_rule.hpp"
#include "deal/shard_count.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::dataset {

inline constexpr std::uint32_t kMostFilesAtATime = 256;

/// Everything that shapes the result. Options that only say how to work (threads, memory, --force) are not in
/// it.
struct Recipe {
  deal::ShardSizing sizing;
  codec::Codec codec = codec::Codec::none;
  std::optional<int> level;
  bool seekable = false;
  std::string prefix = "audio";
  Forms indexes;  // for other projects' loaders
  pipeline::IntakeOptions intake;
  std::uint32_t interleave = 1;           // files of a dataset that are read at a time
  std::uint64_t seed = 0;                 // 0: files are read in the order given
  std::map<std::string, double> weights;  // by dataset
  std::map<std::string, double>
      takes;                          // seconds of a dataset; of all others together where the name is empty
  std::optional<double> temperature;  // datasets that have no weight are mixed by hours^T
  std::map<std::string, double> shares;   // weights of all datasets, which follow from takes and temperature
  deal::Even even = deal::Even::off;      // all shards hold exactly the same number of samples
  std::optional<deal::PlanFor> plan_for;  // the training for which shards and even were chosen
  std::uint32_t parity = 0;               // parity files of each group of shards
  std::string list_root;                  // replaces the path of the folder in data.list; empty: it does not
  std::string final_place;                // of a dataset that is moved when it is made; in no record
};

/// What comes before the names of shards in lists, for a dataset that is made in `folder`.
std::string list_root_in(const Recipe& recipe, const std::string& folder);

/// Names of fields and their values, as dataset.json records them and journals compare them.
using RecipeText = std::vector<std::pair<std::string, std::string>>;

/// All fields in the order of the table in recipe_fields.cpp, without those that are not written at their
/// defaults. A recipe is recorded when its number of shards is settled.
RecipeText text_of(const Recipe& recipe);
/// Reads what text_of() made. A field that is missing gets its default. Throws Error for an unknown name or
/// value.
Recipe recipe_of(const RecipeText& text);

/// A recipe with only these fields; nullopt when one of them is missing or has an unknown value.
std::optional<Recipe> known_fields(const RecipeText& text, std::initializer_list<std::string_view> fields);

/// Sets one field from what text_of() made of it, or from what a user writes: 250ms for 0.25. Fields that
/// hold several values get one more. Throws Error, whose problem goes on where "--NAME VALUE" ends: "is
/// unknown".
void set_field(Recipe& recipe, std::string_view name, std::string_view value);

/// What a user's choices say against each other.
enum class Contradiction {
  plan_for_without_even,   // shards planned for a training must hold the same number of samples
  shards_are_no_multiple,  // of the number that multiple_of and the plan ask for
  min_duration_is_above_max
};

/// Sets the fields that follow from a user's choices: a plan_for chooses even and multiple_of, and bounds on
/// the quality ask for measuring it. `even_is_given`: `even` is the user's own choice and must not change.
std::optional<Contradiction> settle(Recipe& recipe, bool even_is_given);

/// What keeps a run that was begun with `old` from going on with `now`, in words for people:
/// "shards: was 32, now 16"; nullopt when nothing does. A policy that nothing has yet called for may change.
std::optional<std::string> difference(const RecipeText& old, const RecipeText& now);

/// Whether a finished dataset that was made with `old` is what `now` asks for; if not, the difference.
std::optional<std::string> difference_to_finished(const RecipeText& old, const RecipeText& now);

/// The names of the fields that set_field() sets for a user, in the order of their table, without fields that
/// follow from others.
std::vector<std::string_view> recipe_field_names();

/// The options for the number of shards; a user gives at most one of them.
inline constexpr std::array<std::string_view, 4> kShardCountOptions{"shards", "shard-samples", "shard-size",
                                                                    "shard-duration"};

/// Sets one of kShardCountOptions, or "multiple-of", from what a user writes. Throws Error like set_field().
void set_sizing(deal::ShardSizing& sizing, std::string_view name, std::string_view value);

}  // namespace shardmill::dataset
