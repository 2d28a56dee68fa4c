#include "dataset/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dataset/recipe/recipe_fields.hpp"

namespace shardmill::dataset {
namespace {

using ::testing::HasSubstr;

Recipe unusual() {
  Recipe recipe;
  recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 48, .multiple_of = 16};
  recipe.codec = codec::Codec::zstd;
  recipe.level = 7;
  recipe.seekable = true;
  recipe.prefix = "p";
  recipe.indexes = {form_named("wids"), form_named("energon")};
  recipe.intake.text = pipeline::TextPlace::manifest;
  recipe.intake.form = {.container = audio::WantedForm::Container::flac, .sample_rate = 8000, .mono = true};
  recipe.intake.form.pcm16 = true;
  recipe.intake.require_uniform = true;
  recipe.intake.tree.text_field = "a";
  recipe.intake.tree.text_fields = {{"b", "x=y, z"}};
  recipe.intake.speakers.fields = {{"", "who"}, {"c", "client"}};
  recipe.intake.speakers.patterns.emplace("c", pipeline::SpeakerPattern("^([^-]+)-"));
  recipe.intake.key_rule = shard::KeyRule::webdataset;
  recipe.intake.filters = {
      .min_seconds = 0.1,
      .max_seconds = 30.25,
      .require_text = true,
      .quality = {.most_clipped = 1, .most_dc_offset = 0.25, .most_silence = 99.5, .no_narrow_band = true}};
  recipe.intake.missing_text = source::MissingText::unless_all;
  recipe.intake.keys = {.include = {"a*", "b?"}, .exclude = {"*,x=1"}};
  recipe.intake.limit = 12;
  recipe.interleave = 4;
  recipe.seed = 3;
  recipe.weights = {{"a", 2}, {"b", 0.1}};
  recipe.takes = {{"", 7.5}, {"c", 3600}};
  recipe.temperature = 0.3;
  recipe.shares = {{"a", 2}, {"b", 0.1}, {"c", 0.25}};
  recipe.intake.keys.only.path = "/k/only";
  recipe.intake.keys.never = {.path = "/k/never ever", .hash = base::xxh3_128({})};
  recipe.intake.on_error = pipeline::OnError::skip;
  recipe.intake.on_duplicate = pipeline::OnDuplicate::rename;
  recipe.intake.on_duplicate_audio = pipeline::OnDuplicateAudio::first;
  recipe.intake.form.hearing = {.quality = true, .sound = true};
  recipe.even = deal::Even::repeat;
  recipe.plan_for = {.loader = deal::Loader::nemo, .batch_samples = 24, .ranks = 6, .workers = 2};
  recipe.list_root = "/r";
  return recipe;
}

std::string problem_of_setting(std::string_view name, std::string_view value) {
  Recipe recipe;
  try {
    set_field(recipe, name, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

RecipeText with(RecipeText text, std::string_view name, const std::string& value) {
  for (auto& [field, old] : text) {
    if (field == name) old = value;
  }
  return text;
}

TEST(Recipe, WhatListensMayBecomeLessStrictButNotDeaf) {
  const auto text = [](pipeline::OnDuplicateAudio choice) {
    Recipe recipe;
    recipe.intake.on_duplicate_audio = choice;
    return text_of(recipe);
  };
  using enum pipeline::OnDuplicateAudio;
  EXPECT_EQ(difference(text(stop), text(first)), std::nullopt);
  EXPECT_EQ(difference(text(stop), text(off)), "on-duplicate-audio: was stop, now off");
  EXPECT_EQ(difference(text(off), text(stop)), "on-duplicate-audio: was off, now stop");
  EXPECT_EQ(difference(text(first), text(stop)), "on-duplicate-audio: was first, now stop");
}

TEST(Recipe, ComesBackFromItsTextWhole) {
  for (const Recipe& recipe : {Recipe(), unusual()}) {
    Recipe settled = recipe;
    settled.sizing = {.by = deal::ShardSizing::By::shards, .amount = 48, .multiple_of = 16};
    const RecipeText text = text_of(settled);
    EXPECT_EQ(text_of(recipe_of(text)), text);
  }
  const Recipe again = recipe_of(text_of(unusual()));
  EXPECT_EQ(again.sizing.amount, 48U);
  EXPECT_EQ(again.level, 7);
  EXPECT_EQ(again.intake.filters.max_seconds, 30.25);
  EXPECT_EQ(again.intake.keys.include, (std::vector<std::string>{"a*", "b?"}));
  EXPECT_EQ(again.weights, unusual().weights);
  EXPECT_EQ(again.takes, unusual().takes);
  EXPECT_EQ(again.intake.filters.quality.most_clipped, 1);
  EXPECT_EQ(again.intake.filters.quality.most_dc_offset, 0.25);
  EXPECT_EQ(again.intake.filters.quality.most_silence, 99.5);
  EXPECT_TRUE(again.intake.filters.quality.no_narrow_band);
  EXPECT_TRUE(again.intake.form.hearing.sound);
  EXPECT_TRUE(again.intake.form.hearing.quality);
  EXPECT_EQ(again.intake.keys.never.path, "/k/never ever");
  EXPECT_EQ(again.intake.keys.never.hash, base::xxh3_128({}));
  EXPECT_EQ(again.intake.missing_text, source::MissingText::unless_all);
}

// One that is forgotten in the test above, or whose reading does nothing, shows here.
TEST(Recipe, EveryFieldIsReadAndWritten) {
  const RecipeText plain = text_of(Recipe());
  for (const auto& [name, value] : text_of(unusual())) {
    Recipe recipe;
    if (name == "allow-missing-text") {
      recipe.intake.missing_text = source::MissingText::refused;
      set_field(recipe, name, "yes");
      EXPECT_EQ(recipe.intake.missing_text, source::MissingText::allowed);
      continue;
    }
    set_field(recipe, name, value);
    const RecipeText now = text_of(recipe);
    EXPECT_NE(now, plain) << name;
    EXPECT_NE(std::find(now.begin(), now.end(), std::pair(name, value)), now.end()) << name;
  }
}

TEST(Recipe, FieldsTakeWhatPeopleWrite) {
  Recipe recipe;
  set_field(recipe, "min-duration", "250ms");
  set_field(recipe, "max-duration", "1h30m");
  set_field(recipe, "weight", "a=2");
  set_field(recipe, "weight", "b=1e-1");
  EXPECT_EQ(recipe.intake.filters.min_seconds, 0.25);
  EXPECT_EQ(recipe.intake.filters.max_seconds, 5400);
  EXPECT_EQ(recipe.weights, (std::map<std::string, double>{{"a", 2}, {"b", 0.1}}));
}

TEST(Recipe, RefusesValuesThatMakeNoSense) {
  EXPECT_THAT(problem_of_setting("codec", "rar"), HasSubstr("is unknown"));
  EXPECT_THAT(problem_of_setting("on-error", "go"), HasSubstr("give one of stop, skip"));
  EXPECT_THAT(problem_of_setting("limit", "0"), HasSubstr("at least 1"));
  for (const char* value : {"x", "-1", "", "1.5", "12345678901234567890"})
    EXPECT_THAT(problem_of_setting("seed", value), HasSubstr("is not a number")) << value;
  for (const char* value : {"nan", "inf", "-1", "", "1x"})
    EXPECT_THAT(problem_of_setting("min-duration", value), HasSubstr("is not a duration")) << value;
  for (const char* value : {"a", "a=", "a=0", "a=-1", "a=1001", "a=nan", "a=1,"})
    EXPECT_THAT(problem_of_setting("weight", value), HasSubstr("NAME=W")) << value;
  for (const char* value : {"", "0", "x=0", "1x", "a=1,"})
    EXPECT_NE(problem_of_setting("take", value), "") << value;
  for (const char* value :
       {"", "0.3", "temperature=", "temperature=1.1", "temperature=-1", "temperature=nan"})
    EXPECT_THAT(problem_of_setting("mix", value), HasSubstr("is not temperature=T")) << value;
  EXPECT_THAT(problem_of_setting("colour", "red"), HasSubstr("'colour' is unknown to this version"));
}

TEST(Recipe, TablesComeBackWithTheirDatasetsAndHashes) {
  Recipe recipe;
  set_field(recipe, "metadata", "/t/all, of it.csv");
  set_field(recipe, "metadata", "a.b=/t/x=y");
  set_field(recipe, "metadata", "/t/x=y");
  recipe.intake.tables[0].hash = base::xxh3_128({});
  const RecipeText text = text_of(recipe);
  const Recipe again = recipe_of(text);
  ASSERT_EQ(again.intake.tables.size(), 3U);
  EXPECT_EQ(again.intake.tables[0].path, "/t/all, of it.csv");
  EXPECT_EQ(again.intake.tables[0].dataset, "");
  EXPECT_EQ(again.intake.tables[0].hash, base::xxh3_128({}));
  EXPECT_EQ(again.intake.tables[1].dataset, "a.b");
  EXPECT_EQ(again.intake.tables[1].path, "/t/x=y");
  EXPECT_EQ(again.intake.tables[1].hash, std::nullopt);
  EXPECT_EQ(again.intake.tables[2].path, "/t/x=y");
  EXPECT_EQ(text_of(again), text);
  // The same tables elsewhere are the same recipe.
  recipe.intake.tables[0].path = "/other";
  EXPECT_EQ(difference(text, text_of(recipe)), std::nullopt);
  recipe.intake.tables[0].hash = std::nullopt;
  EXPECT_NE(difference(text, text_of(recipe)), std::nullopt);
  EXPECT_THAT(problem_of_setting("metadata", "a="), HasSubstr("names no file"));
}

TEST(Recipe, DefaultsOfLaterFieldsAreNotWritten) {
  for (const auto& [name, value] : text_of(Recipe())) {
    for (const char* later : {"take", "mix", "shares", "include-keys", "exclude-keys", "metadata"})
      EXPECT_NE(name, later);
  }
  RecipeText old = text_of(Recipe());
  EXPECT_EQ(difference_to_finished(old, old), std::nullopt);
  RecipeText now = old;
  now.emplace_back("mix", "temperature=0.5");
  EXPECT_EQ(difference_to_finished(old, now), "mix: was none, now temperature=0.5");
}

TEST(Recipe, KeysAreKnownByTheirHashAndSharesFollow) {
  RecipeText old = text_of(Recipe());
  RecipeText now = old;
  old.emplace_back("include-keys", "0123 /a");
  now.emplace_back("include-keys", "0123 /b c");
  EXPECT_EQ(difference(old, now), std::nullopt);
  EXPECT_EQ(difference_to_finished(old, with(now, "include-keys", "4567 /a")),
            "include-keys: was 0123 /a, now 4567 /a");
  old.emplace_back("shares", "a=1");
  now.emplace_back("shares", "a=1.01");
  EXPECT_EQ(difference_to_finished(old, now), std::nullopt);
  EXPECT_EQ(difference(old, now), "shares: was a=1, now a=1.01");
}

Recipe chosen(const RecipeText& fields) {
  Recipe recipe;
  for (const auto& [name, value] : fields) set_field(recipe, name, value);
  return recipe;
}

TEST(Recipe, APlanChoosesEvenAndTheMultipleWhereTheUserDidNot) {
  Recipe recipe = chosen({{"plan-for", "wenet,static=2,ranks=6"}, {"max-silence", "99%"}});
  recipe.sizing.multiple_of = 4;
  EXPECT_EQ(settle(recipe, false), std::nullopt);
  EXPECT_EQ(recipe.even, deal::Even::leave_out);
  EXPECT_EQ(recipe.sizing.multiple_of, 12);
  EXPECT_TRUE(recipe.intake.form.hearing.quality);

  Recipe repeating = chosen({{"plan-for", "wenet,static=2,ranks=6"}, {"even", "repeat"}});
  EXPECT_EQ(settle(repeating, true), std::nullopt);
  EXPECT_EQ(repeating.even, deal::Even::repeat);
}

TEST(Recipe, ChoicesThatContradictEachOtherAreTold) {
  Recipe uneven = chosen({{"plan-for", "wenet,static=2,ranks=6"}, {"even", "off"}});
  EXPECT_EQ(settle(uneven, true), Contradiction::plan_for_without_even);
  Recipe shards = chosen({{"plan-for", "wenet,static=2,ranks=6"}});
  shards.sizing = {.by = deal::ShardSizing::By::shards, .amount = 8};
  EXPECT_EQ(settle(shards, false), Contradiction::shards_are_no_multiple);
  shards.sizing.amount = 18;
  EXPECT_EQ(settle(shards, false), std::nullopt);
  Recipe durations = chosen({{"min-duration", "2"}, {"max-duration", "1"}});
  EXPECT_EQ(settle(durations, false), Contradiction::min_duration_is_above_max);
}

TEST(Recipe, SaysWhatIsDifferent) {
  const RecipeText old = text_of(unusual());
  EXPECT_EQ(difference(old, old), std::nullopt);
  EXPECT_EQ(difference(old, with(old, "shards", "16")), "shards: was 48, now 16");
  EXPECT_EQ(difference(old, with(old, "include", "")), "include: was a*\\x0ab?, now nothing");
}

TEST(Recipe, PoliciesMayChangeWhileNothingCalledForThem) {
  const RecipeText plain = text_of(Recipe());
  EXPECT_EQ(difference(plain, with(plain, "on-error", "skip")), std::nullopt);
  EXPECT_EQ(difference(plain, with(plain, "on-duplicate", "first")), std::nullopt);
  const RecipeText prefixed = with(plain, "on-duplicate", "prefix");
  EXPECT_NE(difference(plain, prefixed), std::nullopt);
  EXPECT_EQ(difference(prefixed, with(plain, "on-duplicate", "prefix,first")), std::nullopt);
  EXPECT_NE(difference(with(plain, "on-duplicate", "prefix,first"), prefixed), std::nullopt);
  EXPECT_NE(difference(plain, with(plain, "on-duplicate", "prefix,first")), std::nullopt);
  EXPECT_NE(difference(prefixed, with(plain, "on-duplicate", "first")), std::nullopt);
  EXPECT_EQ(difference(plain, with(plain, "allow-missing-text", "no")), std::nullopt);
  EXPECT_EQ(difference(with(plain, "require-uniform", "yes"), plain), std::nullopt);
  EXPECT_EQ(difference(with(plain, "on-error", "skip"), plain), "on-error: was skip, now stop");
  EXPECT_EQ(difference(plain, with(plain, "require-uniform", "yes")), "require-uniform: was no, now yes");
  EXPECT_EQ(difference_to_finished(plain, with(plain, "on-error", "skip")), "on-error: was stop, now skip");
}

TEST(Recipe, OlderDatasetsDidNotAskForTranscripts) {
  const RecipeText now = text_of(Recipe());
  RecipeText old = now;
  std::erase_if(old, [](const auto& field) { return field.first == "allow-missing-text"; });
  EXPECT_EQ(difference_to_finished(old, with(now, "allow-missing-text", "no")), std::nullopt);
  std::erase_if(old, [](const auto& field) { return field.first == "index"; });
  EXPECT_EQ(difference_to_finished(old, now), "another version of shardmill made it");
  old = now;
  old.emplace_back("of-the-future", "yes");
  EXPECT_EQ(difference_to_finished(old, now), "another version of shardmill made it");
  EXPECT_THROW(recipe_of(old), Error);
}

TEST(Recipe, OlderDatasetsWereReadOneFileAfterTheOther) {
  const RecipeText old = text_of(Recipe());
  EXPECT_EQ(recipe_of(old).interleave, 1U);
  const auto now = [](const char* files) {
    Recipe recipe;
    set_field(recipe, "interleave", files);
    return text_of(recipe);
  };
  // What a command asks for today that says nothing of it is no difference; anything else is one.
  EXPECT_EQ(difference_to_finished(old, now("16")), std::nullopt);
  EXPECT_EQ(difference_to_finished(old, now("1")), std::nullopt);
  EXPECT_EQ(difference_to_finished(old, now("4")), "interleave: was 1, now 4");
  EXPECT_EQ(difference_to_finished(now("16"), now("1")), "interleave: was 16, now 1");
  EXPECT_EQ(difference(old, now("16")), "interleave: was 1, now 16");
  EXPECT_THAT(problem_of_setting("interleave", "0"), HasSubstr("at least 1"));
  EXPECT_THAT(problem_of_setting("interleave", "257"), HasSubstr("too many"));
}

TEST(Recipe, IsKnownAsFarAsItsTextGoes) {
  const RecipeText text{{"codec", "zstd"}, {"prefix", "x"}, {"text", "aloud"}};
  EXPECT_EQ(known_fields(text, {"codec", "prefix"})->codec, codec::Codec::zstd);
  EXPECT_FALSE(known_fields(text, {"codec", "text"}));
  EXPECT_FALSE(known_fields(text, {"index"}));
}

}  // namespace
}  // namespace shardmill::dataset
