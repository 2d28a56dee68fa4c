#include "dataset/recipe/recipe_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "audio/probe.hpp"
#include "base/error.hpp"
#include "base/text/units.hpp"
#include "codec/erasure_code.hpp"
#include "dataset/recipe/values.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kOwnFolder = "the output folder";
constexpr std::string_view kUnmixed = "unmixed";
constexpr std::string_view kUsual = "usual";
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

void read_level(Recipe& recipe, std::string_view text) {
  recipe.level.reset();
  if (text == "default") return;
  recipe.level = base::number_in<int>(text);
  if (!recipe.level) throw Error("is not a number");
}

void read_codec(Recipe& recipe, std::string_view text) {
  const auto codec = codec::codec_by_name(text);
  if (!codec) throw Error("is unknown");
  recipe.codec = *codec;
}

void read_indexes(Recipe& recipe, std::string_view text) {
  auto forms = forms_named(text);
  if (!forms) {
    std::string known;
    for (const LoaderForm& form : all_forms())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", form.name);
    throw Error("is unknown", {}, fmt::format("give {} or several of them with commas", known));
  }
  recipe.indexes = std::move(*forms);
}

void read_sample_rate(Recipe& recipe, std::string_view text) {
  recipe.intake.form.sample_rate.reset();
  if (text == "keep") return;
  const std::uint64_t rate = positive_of(text);
  if (rate > audio::kMaxSampleRate) throw Error("is no sample rate in Hz");
  recipe.intake.form.sample_rate = static_cast<std::uint32_t>(rate);
}

void read_interleave(Recipe& recipe, std::string_view text) {
  const std::uint64_t files = positive_of(text);
  if (files > kMostFilesAtATime)
    throw Error("is too many", {}, fmt::format("at most {} files are read at a time", kMostFilesAtATime));
  recipe.interleave = static_cast<std::uint32_t>(files);
}

/// There are two options for samples without text: one leaves out such samples, one takes whole datasets of
/// them.
void read_require_text(Recipe& recipe, std::string_view text) {
  using source::MissingText;
  recipe.intake.filters.require_text = value_of(kYesNo, text);
  recipe.intake.missing_text =
      recipe.intake.filters.require_text ? MissingText::unless_all : MissingText::refused;
}

void read_allow_missing_text(Recipe& recipe, std::string_view text) {
  if (value_of(kYesNo, text)) recipe.intake.missing_text = source::MissingText::allowed;
}

void add_patterns(std::vector<std::string>& patterns, std::string_view text) {
  for (std::string& pattern : pipeline::patterns_of(text)) patterns.push_back(std::move(pattern));
}

void read_takes(Recipe& recipe, std::string_view text) {
  for_each_value(text, [&](std::string name, std::string_view value) {
    const double seconds = seconds_of(value);
    if (seconds <= 0) throw Error("is nothing: give more than 0");
    recipe.takes[std::move(name)] = seconds;
  });
}

constexpr std::string_view kTemperature = "temperature=";

std::string mix_text(const Recipe& recipe) {
  return recipe.temperature ? fmt::format("{}{}", kTemperature, *recipe.temperature) : std::string(kNone);
}

void read_mix(Recipe& recipe, std::string_view text) {
  recipe.temperature.reset();
  if (text == kNone) return;
  constexpr std::string_view kProblem = "is not temperature=T with T from 0 to 1";
  if (!text.starts_with(kTemperature)) throw Error(std::string(kProblem));
  const double temperature = decimal_of(text.substr(kTemperature.size()), kProblem);
  if (temperature < 0 || temperature > 1) throw Error(std::string(kProblem));
  recipe.temperature = temperature;
}

void read_parity(Recipe& recipe, std::string_view text) {
  const std::uint64_t files = number_of(text);
  if (files > codec::kMostParityPieces)
    throw Error("is too much", {}, fmt::format("give at most {}", codec::kMostParityPieces));
  recipe.parity = static_cast<std::uint32_t>(files);
}

void read_on_duplicate_audio(Recipe& recipe, std::string_view text) {
  recipe.intake.on_duplicate_audio = value_of(kOnDuplicateAudio, text);
  recipe.intake.form.hearing.sound = recipe.intake.on_duplicate_audio != pipeline::OnDuplicateAudio::off;
}

std::string channels_text(const Recipe& recipe) {
  const audio::WantedForm& form = recipe.intake.form;
  if (form.splits_channels) return word_for(kChannels, ChannelChoice::split);
  if (!form.one_channel) return word_for(kChannels, form.mono ? ChannelChoice::mono : ChannelChoice::keep);
  return word_for(kChannels, *form.one_channel == 0 ? ChannelChoice::left : ChannelChoice::right);
}

void read_channels(Recipe& recipe, std::string_view text) {
  audio::WantedForm& form = recipe.intake.form;
  const ChannelChoice choice = value_of(kChannels, text);
  form.mono = choice == ChannelChoice::mono;
  form.splits_channels = choice == ChannelChoice::split;
  recipe.intake.splits_channels = form.splits_channels;
  form.one_channel.reset();
  if (choice == ChannelChoice::left) form.one_channel = 0;
  if (choice == ChannelChoice::right) form.one_channel = 1;
}

void read_bits(Recipe& recipe, std::string_view text) {
  if (text != "keep" && text != "16") throw Error("is unknown", {}, "give 16 or keep");
  recipe.intake.form.pcm16 = text == "16";
}

constexpr std::string_view kPrefix = "prefix";

/// A prefix is no choice between two samples: what still has the same key stops the run, unless a choice
/// follows it.
void read_on_duplicate(Recipe& recipe, std::string_view text) {
  constexpr std::string_view kPrefixAnd = "prefix,";
  const bool has_choice = text.starts_with(kPrefixAnd);
  recipe.intake.prefixes_keys = has_choice || text == kPrefix;
  recipe.intake.on_duplicate = pipeline::OnDuplicate::stop;
  if (text == kPrefix) return;
  try {
    recipe.intake.on_duplicate = value_of(kOnDuplicate, has_choice ? text.substr(kPrefixAnd.size()) : text);
  } catch (const Error& error) {
    throw Error(error.problem(), {}, fmt::format("{0}, {1}, {1},first, {1},rename", error.advice(), kPrefix));
  }
}

std::string text_fields_text(const Recipe& recipe) {
  const source::TreeOptions& tree = recipe.intake.tree;
  std::map<std::string, std::string> fields(tree.text_fields.begin(), tree.text_fields.end());
  if (!tree.text_field.empty()) fields.emplace("", tree.text_field);
  return named_texts_text(fields, kUsual);
}

void read_text_fields(Recipe& recipe, std::string_view text) {
  if (text == kUsual) return;
  for_each_named_text(text, [&](std::string name, std::string field) {
    if (name.empty()) {
      recipe.intake.tree.text_field = std::move(field);
    } else {
      recipe.intake.tree.text_fields[std::move(name)] = std::move(field);
    }
  });
}

void read_speaker_fields(Recipe& recipe, std::string_view text) {
  if (text == kUsual) return;
  for_each_named_text(text, [&](std::string name, std::string field) {
    recipe.intake.speakers.fields[std::move(name)] = std::move(field);
  });
}

std::string speaker_patterns_text(const Recipe& recipe) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, pattern] : recipe.intake.speakers.patterns) texts.emplace(name, pattern.text());
  return named_texts_text(texts, kNone);
}

void read_speaker_patterns(Recipe& recipe, std::string_view text) {
  if (text == kNone) return;
  for_each_named_text(text, [&](std::string name, const std::string& pattern) {
    recipe.intake.speakers.patterns.insert_or_assign(std::move(name), pipeline::SpeakerPattern(pattern));
  });
}

std::string subsets_text(const Recipe& recipe) {
  const auto& subsets = recipe.intake.tree.subsets;
  return subsets.empty() ? std::string(kUnmixed) : fmt::format("{}", fmt::join(subsets, ","));
}

void read_subsets(Recipe& recipe, std::string_view text) {
  auto& subsets = recipe.intake.tree.subsets;
  subsets.clear();
  while (text != kUnmixed) {
    const std::size_t end = text.find(',');
    subsets.emplace_back(text.substr(0, end));
    if (subsets.back().empty()) throw Error("names no subset", {}, "give names such as train,dev");
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

constexpr RecipeField kFields[] = {
    {.name = "shards",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.sizing.amount); },
     .read =
         [](Recipe& recipe, std::string_view text) {
           recipe.sizing.by = deal::ShardSizing::By::shards;
           recipe.sizing.amount = positive_of(text);
         }},
    {.name = "multiple-of",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.sizing.multiple_of); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.sizing.multiple_of = positive_of(text); },
     .unsaid = "1"},
    {.name = "codec",
     .text = [](const Recipe& recipe) { return std::string(codec::name(recipe.codec)); },
     .read = read_codec},
    {.name = "level",
     .text = [](const Recipe& recipe) { return recipe.level ? fmt::format("{}", *recipe.level) : "default"; },
     .read = read_level},
    {.name = "seekable",
     .text = [](const Recipe& recipe) { return word_for(kYesNo, recipe.seekable); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.seekable = value_of(kYesNo, text); }},
    {.name = "prefix",
     .text = [](const Recipe& recipe) { return recipe.prefix; },
     .read = [](Recipe& recipe, std::string_view text) { recipe.prefix = text; }},
    {.name = "index",
     .text = [](const Recipe& recipe) { return names(recipe.indexes); },
     .read = read_indexes},
    {.name = "text",
     .text = [](const Recipe& recipe) { return word_for(kTextPlaces, recipe.intake.text); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.intake.text = value_of(kTextPlaces, text); }},
    {.name = "audio",
     .text = [](const Recipe& recipe) { return word_for(kContainers, recipe.intake.form.container); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.form.container = value_of(kContainers, text); }},
    {.name = "sample-rate",
     .text =
         [](const Recipe& recipe) {
           const auto& rate = recipe.intake.form.sample_rate;
           return rate ? fmt::format("{}", *rate) : "keep";
         },
     .read = read_sample_rate},
    {.name = "channels", .text = channels_text, .read = read_channels},
    {.name = "bits",
     .text = [](const Recipe& recipe) { return std::string(recipe.intake.form.pcm16 ? "16" : "keep"); },
     .read = read_bits,
     .unsaid = "keep"},
    {.name = "require-uniform",
     .text = [](const Recipe& recipe) { return word_for(kYesNo, recipe.intake.require_uniform); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.require_uniform = value_of(kYesNo, text); },
     .free_at = "yes"},
    {.name = "key-rule",
     .text = [](const Recipe& recipe) { return word_for(kKeyRules, recipe.intake.key_rule); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.key_rule = value_of(kKeyRules, text); }},
    {.name = "min-duration",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.intake.filters.min_seconds); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.filters.min_seconds = seconds_of(text); }},
    {.name = "max-duration",
     .text =
         [](const Recipe& recipe) {
           const double seconds = recipe.intake.filters.max_seconds;
           return seconds == kUnlimited ? std::string(kNone) : fmt::format("{}", seconds);
         },
     .read =
         [](Recipe& recipe, std::string_view text) {
           recipe.intake.filters.max_seconds = text == kNone ? kUnlimited : seconds_of(text);
         }},
    {.name = "require-text",
     .text = [](const Recipe& recipe) { return word_for(kYesNo, recipe.intake.filters.require_text); },
     .read = read_require_text},
    {.name = "allow-missing-text",
     .text =
         [](const Recipe& recipe) {
           return word_for(kYesNo, recipe.intake.missing_text == source::MissingText::allowed);
         },
     .read = read_allow_missing_text,
     .free_at = kAnyValue},
    {.name = "quality",
     .text = [](const Recipe& recipe) { return word_for(kYesNo, recipe.intake.form.hearing.quality); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.form.hearing.quality = value_of(kYesNo, text); },
     .unsaid = "no"},
    {.name = "max-clipping",
     .text = [](const Recipe& recipe) { return percent_text(recipe.intake.filters.quality.most_clipped); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.filters.quality.most_clipped = percent_of(text); },
     .unsaid = kNone},
    {.name = "max-dc-offset",
     .text = [](const Recipe& recipe) { return percent_text(recipe.intake.filters.quality.most_dc_offset); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.filters.quality.most_dc_offset = percent_of(text); },
     .unsaid = kNone},
    {.name = "max-silence",
     .text = [](const Recipe& recipe) { return percent_text(recipe.intake.filters.quality.most_silence); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.filters.quality.most_silence = percent_of(text); },
     .unsaid = kNone},
    {.name = "no-narrow-band",
     .text =
         [](const Recipe& recipe) { return word_for(kYesNo, recipe.intake.filters.quality.no_narrow_band); },
     .read =
         [](Recipe& recipe, std::string_view text) {
           recipe.intake.filters.quality.no_narrow_band = value_of(kYesNo, text);
         },
     .unsaid = "no"},
    {.name = "subset", .text = subsets_text, .read = read_subsets, .unsaid = kUnmixed},
    {.name = "text-field", .text = text_fields_text, .read = read_text_fields, .unsaid = kUsual},
    {.name = "speaker-field",
     .text =
         [](const Recipe& recipe) {
           const auto& fields = recipe.intake.speakers.fields;
           return named_texts_text({fields.begin(), fields.end()}, kUsual);
         },
     .read = read_speaker_fields,
     .unsaid = kUsual},
    {.name = "audio-root",
     .text =
         [](const Recipe& recipe) {
           const std::string& root = recipe.intake.tree.audio_root;
           return root.empty() ? std::string(kNoFile) : root;
         },
     .read =
         [](Recipe& recipe, std::string_view text) {
           recipe.intake.tree.audio_root = text == kNoFile ? std::string_view() : text;
         },
     .unsaid = kNoFile},
    {.name = "speaker-from", .text = speaker_patterns_text, .read = read_speaker_patterns, .unsaid = kNone},
    {.name = "metadata",
     .text = [](const Recipe& recipe) { return tables_text(recipe.intake.tables); },
     .read = [](Recipe& recipe, std::string_view text) { read_tables(recipe.intake.tables, text); },
     .unsaid = kNoFile,
     .by_first_word = true},
    {.name = "labels",
     .text = [](const Recipe& recipe) { return tables_text(recipe.intake.labels); },
     .read = [](Recipe& recipe, std::string_view text) { read_tables(recipe.intake.labels, text); },
     .unsaid = kNoFile,
     .by_first_word = true},
    {.name = "include",
     .text = [](const Recipe& recipe) { return pipeline::text_of(recipe.intake.keys.include); },
     .read = [](Recipe& recipe, std::string_view text) { add_patterns(recipe.intake.keys.include, text); }},
    {.name = "exclude",
     .text = [](const Recipe& recipe) { return pipeline::text_of(recipe.intake.keys.exclude); },
     .read = [](Recipe& recipe, std::string_view text) { add_patterns(recipe.intake.keys.exclude, text); }},
    {.name = "include-keys",
     .text = [](const Recipe& recipe) { return key_file_text(recipe.intake.keys.only); },
     .read = [](Recipe& recipe, std::string_view text) { read_key_file(recipe.intake.keys.only, text); },
     .unsaid = kNoFile,
     .by_first_word = true},
    {.name = "exclude-keys",
     .text = [](const Recipe& recipe) { return key_file_text(recipe.intake.keys.never); },
     .read = [](Recipe& recipe, std::string_view text) { read_key_file(recipe.intake.keys.never, text); },
     .unsaid = kNoFile,
     .by_first_word = true},
    {.name = "limit",
     .text = [](const Recipe& recipe) { return limit_text(recipe.intake.limit); },
     .read = [](Recipe& recipe,
                std::string_view text) { recipe.intake.limit = text == kNone ? 0 : positive_of(text); }},
    {.name = "interleave",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.interleave); },
     .read = read_interleave,
     .unsaid = "1",
     .usual = "16"},
    {.name = "seed",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.seed); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.seed = number_of(text); }},
    {.name = "weight",
     .text = [](const Recipe& recipe) { return numbers_text(recipe.weights); },
     .read = [](Recipe& recipe, std::string_view text) { read_weights(recipe.weights, text); }},
    {.name = "take",
     .text = [](const Recipe& recipe) { return numbers_text(recipe.takes); },
     .read = read_takes,
     .unsaid = kNone},
    {.name = "mix", .text = mix_text, .read = read_mix, .unsaid = kNone},
    {.name = "shares",
     .text = [](const Recipe& recipe) { return numbers_text(recipe.shares); },
     .read = [](Recipe& recipe, std::string_view text) { read_weights(recipe.shares, text); },
     .unsaid = kNone,
     .is_derived = true},
    {.name = "even",
     .text = [](const Recipe& recipe) { return word_for(kEven, recipe.even); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.even = value_of(kEven, text); },
     .unsaid = "off"},
    {.name = "plan-for",
     .text = [](const Recipe& recipe) { return plan_for_text(recipe.plan_for); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.plan_for = plan_for_of(text); },
     .unsaid = kNone},
    {.name = "on-error",
     .text = [](const Recipe& recipe) { return word_for(kOnError, recipe.intake.on_error); },
     .read = [](Recipe& recipe, std::string_view text) { recipe.intake.on_error = value_of(kOnError, text); },
     .free_at = "stop"},
    {.name = "on-duplicate",
     .text =
         [](const Recipe& recipe) {
           const std::string choice = word_for(kOnDuplicate, recipe.intake.on_duplicate);
           if (!recipe.intake.prefixes_keys) return choice;
           const bool stops = recipe.intake.on_duplicate == pipeline::OnDuplicate::stop;
           return stops ? std::string(kPrefix) : fmt::format("{},{}", kPrefix, choice);
         },
     .read = read_on_duplicate,
     .free_at = "stop",
     .bound = kPrefix},
    {.name = "on-duplicate-audio",
     .text =
         [](const Recipe& recipe) { return word_for(kOnDuplicateAudio, recipe.intake.on_duplicate_audio); },
     .read = read_on_duplicate_audio,
     .free_at = "stop",
     .unsaid = "off"},
    {.name = "list-root",
     .text =
         [](const Recipe& recipe) {
           return recipe.list_root.empty() ? std::string(kOwnFolder) : recipe.list_root;
         },
     .read =
         [](Recipe& recipe, std::string_view text) {
           recipe.list_root = text == kOwnFolder ? std::string_view() : text;
         }},
    {.name = "parity",
     .text = [](const Recipe& recipe) { return fmt::format("{}", recipe.parity); },
     .read = read_parity,
     .unsaid = "0"},
};

}  // namespace

std::span<const RecipeField> recipe_fields() {
  return kFields;
}

const RecipeField* find_field(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &RecipeField::name);
  return found == std::end(kFields) ? nullptr : &*found;
}

}  // namespace shardmill::dataset
