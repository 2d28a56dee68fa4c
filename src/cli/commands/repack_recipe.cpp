#include "cli/commands/repack_recipe.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/text/numbers.hpp"
#include "base/text/units.hpp"
#include "cli/commands/codec_options.hpp"
#include "cli/commands/index_option.hpp"
#include "cli/commands/source_options.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

/// An option of the command line that sets the field of the recipe that has its name.
struct RecipeOption {
  enum class Takes { nothing, one_value, several_values, a_value_for_each_name };

  const char* group;
  const char* name;
  Takes takes;
  std::string value;     // the kind of value that it takes: "SIZE"
  const char* standard;  // the default; nullptr: that of the recipe
  const char* help;
};

std::vector<RecipeOption> recipe_options() {
  using enum RecipeOption::Takes;
  constexpr const char* kShards = "How many shards";
  constexpr const char* kWritten = "What is written";
  constexpr const char* kAudio = "Audio";
  constexpr const char* kSamples = "Which samples";
  constexpr const char* kMixing = "Mixing";
  constexpr const char* kTrouble = "Trouble";
  return {
      // clang-format off
      {kWritten, "prefix", one_value, "NAME", "audio", "shards are NAME_000000000.tar and so on"},
      {kWritten, "text", one_value, "both|members|manifest", "both",
       "transcripts as KEY.txt members, in the manifests, or both"},
      {kWritten, "index", one_value, index_words(), "none",
       "indexes for other projects' loaders beside the shards (see shardmill index --help)"},
      {kWritten, "parity", one_value, "K", "0",
       "K parity files for each group of at most 128 shards: shardmill repair makes any K lost or damaged shards of a group again; at most 16"},
      {kWritten, "list-root", one_value, "PATH", nullptr,
       "stands in data.list before shards/ (default: DIR, absolute)"},

      {kAudio, "audio", one_value, "keep|wav|flac", "keep",
       "the container; values stay as they are, and what is in it already is copied"},
      {kAudio, "sample-rate", one_value, "HZ", "keep", "resample what has another rate, as sox rate -v does"},
      {kAudio, "channels", one_value, "keep|mono", "keep", "mono: the mean of all channels"},
      {kAudio, "quality", nothing, "", nullptr,
       "measure clipping, DC offset, digital silence and a missing band above 4 kHz of each sample, and record "
       "them in the manifests; decodes all audio: under 1% more time where --audio and the like do so anyway, "
       "15% more where WAV is only copied"},
      {kAudio, "require-uniform", nothing, "", nullptr,
       "stop when rates or channels are mixed, instead of a warning"},

      {kSamples, "key-rule", one_value, kKeyRuleWords, "wenet", kKeyRuleHelp},
      {kSamples, "min-duration", one_value, "TIME", nullptr, "leave out shorter ones"},
      {kSamples, "max-duration", one_value, "TIME", nullptr, "leave out longer ones"},
      {kSamples, "max-clipping", one_value, "SHARE", nullptr,
       "leave out those of which more is at full scale, such as 1%; this and the next three measure as "
       "--quality does"},
      {kSamples, "max-dc-offset", one_value, "SHARE", nullptr, "leave out those with more, in % of full scale"},
      {kSamples, "max-silence", one_value, "SHARE", nullptr,
       "leave out those of which more is digital silence; 99% leaves out what holds nothing but zeros"},
      {kSamples, "no-narrow-band", nothing, "", nullptr,
       "leave out those of 16 kHz and more with nothing above 4 kHz: resampled telephone speech"},
      {kSamples, "require-text", nothing, "", nullptr, "leave out those without a transcript"},
      {kSamples, "allow-missing-text", nothing, "", nullptr,
       "accept datasets of which more than a tenth has no transcript, which are an error otherwise"},
      {kSamples, "subset", one_value, "NAME[,...]", "unmixed",
       "of corpora: only these of the publisher's own subsets (train stands for train-clean-100, too), or "
       "all; without it, training and test data in the sources are an error"},
      {kSamples, "text-field", one_value, "NAME", "usual",
       "of corpora that have several texts for each utterance: this one, for example pinyin or raw"},
      {kSamples, "metadata", several_values, "[NAME=]FILE", nullptr,
       "a table that tells more of the samples (of dataset NAME): JSON lines, or TSV or CSV with a header; rows "
       "are found by the column key, id, audio_filepath or the like, text gives transcripts, all other columns "
       "go into the manifests; may be given several times"},
      {kSamples, "include", several_values, "PATTERN", nullptr,
       "only keys that match PATTERN, as the shell matches (*, ?, [a-z]; * also matches /); may be given "
       "several times"},
      {kSamples, "exclude", several_values, "PATTERN", nullptr, "no keys that match PATTERN"},
      {kSamples, "include-keys", one_value, "FILE", nullptr, "only keys that FILE lists, one a line"},
      {kSamples, "exclude-keys", one_value, "FILE", nullptr, "no keys that FILE lists"},
      {kSamples, "limit", one_value, "N", nullptr, "stop after N samples: for a trial run"},

      {kMixing, "even", one_value, "leave-out|repeat|off", "off",
       "all shards hold exactly the same number of samples: leaves out the few that are over (rejects.jsonl names "
       "them), or takes as many as are missing a second time, under keys of their own"},
      {kShards, "plan-for", one_value, "LOADER,static=N,ranks=R[,workers=K]", nullptr,
       "shards with which all ranks of a training with batches of N samples take the same steps: a multiple of R x "
       "K, and --even leave-out unless --even repeat is given"},
      {kMixing, "interleave", one_value, "K", "16",
       "files of a dataset that are read at a time, so that all cores work and neighbours come from K files; 1: "
       "one after the other"},
      {kMixing, "seed", one_value, "S", "0", "shuffles the order of the source files; 0: as given"},
      {kMixing, "weight", a_value_for_each_name, "NAME=W", nullptr,
       "takes a dataset W times: 2 = twice, with distinct keys; 0.5 = a half, chosen by the seed"},

      {kMixing, "take", a_value_for_each_name, "[NAME=]TIME", nullptr,
       "takes about so much audio of a dataset, or of all that are not named together; chosen by the seed"},
      {kMixing, "mix", one_value, "temperature=T", nullptr,
       "the shares of the datasets are as their hours to the power of T, from 1 (as they are) to 0 (all alike): "
       "small ones are repeated, large ones thinned; datasets with --weight or --take NAME= are not part of the mix"},

      {kTrouble, "on-error", one_value, "stop|skip", "stop",
       "at a bad sample or damaged shard: stop, or skip and record it"},
      {kTrouble, "on-duplicate", one_value, "stop|first|rename", "stop",
       "when a key comes again: stop, first (keep that; of datasets, that of the one given first) or rename"},
      {kTrouble, "on-duplicate-audio", one_value, "off|stop|first", "off",
       "when the same audio comes again under another key, in whatever lossless form: stop, or first (keep that); "
       "decodes all audio, which costs more time as --quality does"},
      // clang-format on
  };
}

void add_option(CommandLine& line, const RecipeOption& option) {
  using Takes = RecipeOption::Takes;
  auto group = line.group(option.group);
  if (option.takes == Takes::nothing) {
    group(option.name, option.help);
  } else if (option.takes == Takes::several_values || option.takes == Takes::a_value_for_each_name) {
    group(option.name, po::value<std::vector<std::string>>()->value_name(option.value)->composing(),
          option.help);
  } else {
    auto* value = po::value<std::string>()->value_name(option.value);
    group(option.name, option.standard == nullptr ? value : value->default_value(option.standard),
          option.help);
  }
}

void set(dataset::Recipe& recipe, const RecipeOption& option, const std::string& value) {
  try {
    set_field(recipe, option.name, value);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--{} {} {}", option.name, printable(value), error.problem()), {},
                     error.advice());
  }
}

/// Of NAME=VALUE; empty for a value without a name.
std::string dataset_named_in(const std::string& value) {
  const std::size_t sign = value.find('=');
  return sign == value.npos ? std::string() : value.substr(0, sign);
}

void read(const CommandLine& line, const RecipeOption& option, dataset::Recipe& recipe) {
  using Takes = RecipeOption::Takes;
  if (option.takes == Takes::nothing) return set(recipe, option, line.has(option.name) ? "yes" : "no");
  if (!line.has(option.name)) return;
  if (option.takes == Takes::one_value) return set(recipe, option, line.text(option.name));
  std::set<std::string> names;
  for (const std::string& value : line.texts(option.name)) {
    if (option.takes == Takes::a_value_for_each_name && !names.insert(dataset_named_in(value)).second)
      throw UsageError(
          fmt::format("--{} {} comes after another value for the same", option.name, printable(value)), {},
          "give one of them");
    set(recipe, option, value);
  }
}

std::uint64_t positive(const CommandLine& line, const std::string& option) {
  const std::string given = line.text(option);
  const auto value = base::count_in(given);
  if (!value) throw UsageError(fmt::format("--{} {} is not a number", option, printable(given)));
  if (*value == 0) throw UsageError(fmt::format("--{} must be at least 1", option));
  return *value;
}

deal::ShardSizing sizing(const CommandLine& line) {
  using By = deal::ShardSizing::By;
  deal::ShardSizing sizing{.multiple_of = positive(line, "multiple-of")};
  int given = 0;
  const auto take = [&](const char* option, By by, auto read) {
    if (!line.has(option)) return;
    ++given;
    sizing.by = by;
    sizing.amount = read(option);
  };
  take("shards", By::shards, [&](const char* option) { return positive(line, option); });
  take("shard-samples", By::samples, [&](const char* option) { return positive(line, option); });
  take("shard-size", By::bytes, [&](const char* option) { return base::parse_size(line.text(option)); });
  take("shard-duration", By::seconds, [&](const char* option) {
    return static_cast<std::uint64_t>(std::ceil(base::parse_duration_seconds(line.text(option))));
  });
  if (given > 1) {
    throw UsageError(
        "more than one of --shards, --shard-duration, --shard-size and --shard-samples is given");
  }
  if (sizing.amount == 0) throw UsageError("a shard must hold something: give more than 0");
  return sizing;
}

UsageError in_words(dataset::Contradiction contradiction, const dataset::Recipe& recipe) {
  using enum dataset::Contradiction;
  switch (contradiction) {
    case plan_for_without_even:
      return UsageError("--plan-for needs shards that hold the same number of samples, but --even is off", {},
                        "leave out --even, or give --even repeat");
    case shards_are_no_multiple:
      return UsageError(
          fmt::format("--shards {} is no multiple of {}", recipe.sizing.amount, recipe.sizing.multiple_of),
          {},
          recipe.plan_for ? "--plan-for needs as many shards for each loader worker of each rank"
                          : "leave out --multiple-of, or give another number");
    case min_duration_is_above_max:
      break;
  }
  return UsageError("--min-duration is more than --max-duration");
}

}  // namespace

void add_sizing_options(CommandLine& line) {
  const auto text = [](const char* value) { return po::value<std::string>()->value_name(value); };
  line.group("How many shards")                                                                //
      ("shards", text("N"), "this many")                                                       //
      ("shard-duration", text("TIME"), "as many as hold about this much audio each")           //
      ("shard-size", text("SIZE"), "as many as are about this large, uncompressed")            //
      ("shard-samples", text("N"), "as many as hold about this many samples (default: 1000)")  //
      ("multiple-of", text("M")->default_value("1"), "round to a multiple of M: ranks x loader workers");
}

void add_recipe_options(CommandLine& line) {
  add_codec_options(line);
  for (const RecipeOption& option : recipe_options()) add_option(line, option);
}

dataset::Recipe recipe_of(const CommandLine& line) {
  const CodecChoice codec = codec_choice(line);
  dataset::Recipe recipe;
  recipe.sizing = sizing(line);
  recipe.codec = codec.codec;
  recipe.level = codec.level;
  recipe.seekable = codec.seekable;
  for (const RecipeOption& option : recipe_options()) read(line, option, recipe);
  if (const auto contradiction = dataset::settle(recipe, line.was_given("even")))
    throw in_words(*contradiction, recipe);
  return recipe;
}

}  // namespace shardmill::cli
