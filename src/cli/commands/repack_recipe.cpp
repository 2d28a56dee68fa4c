#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/shared_options.hpp"
#include "dataset/recipe.hpp"
#include "source/source_spec.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

/// An option that sets the field of the recipe with the same name.
struct RecipeOption {
  enum class Takes { nothing, one_value, several_values, a_value_for_each_name };

  const char* group;
  const char* name;
  Takes takes;
  std::string value;     // "SIZE"
  const char* standard;  // the default; nullptr: the recipe's own
  const char* help;
};

std::vector<RecipeOption> recipe_options() {
  using enum RecipeOption::Takes;
  constexpr const char* kOutput = "Output";
  constexpr const char* kShards = "Shards";
  constexpr const char* kSources = "Sources";
  constexpr const char* kSamples = "Samples";
  constexpr const char* kAudio = "Audio";
  constexpr const char* kMixing = "Mixing";
  constexpr const char* kTrouble = "Trouble";
  return {
      // clang-format off
      {kOutput, "prefix", one_value, "NAME", "audio", "shards are named NAME_000000000.tar and so on"},
      {kOutput, "text", one_value, "both|members|manifest", "both",
       "where transcripts go: into the shards as KEY.txt, into the manifests, or both; manifest: the shards hold nothing "
       "but audio"},
      {kOutput, "index", one_value, index_words(), "none",
       "indexes for other loaders (see shardmill index --help)"},
      {kOutput, "parity", one_value, "K", "0",
       "parity files for each group of 128 shards (K at most 16): shardmill repair restores any K lost shards of a group"},
      {kOutput, "list-root", one_value, "PATH", nullptr,
       "the folder that data.list names as the parent of shards/ (default: DIR as an absolute path)"},

      {kShards, "plan-for", one_value, "LOADER,static=N,ranks=R[,workers=K]", nullptr,
       "a multiple of R x K equal shards, so that all ranks take the same steps"},

      {kSources, "key-rule", one_value, kKeyRuleWords, "wenet", kKeyRuleHelp},
      {kSources, "subset", one_value, "NAME[,...]", "unmixed",
       "the subsets of published corpora to read, or all; unmixed: training beside test data is an error"},
      {kSources, "text-field", a_value_for_each_name, "[NAME=]FIELD", nullptr,
       "the column or JSON member with the transcript, of dataset NAME or of all (default: text, sentence, "
       "transcription, transcript)"},
      {kSources, "speaker-field", a_value_for_each_name, "[NAME=]FIELD", nullptr,
       "the field that names the speaker (default: speaker, speaker_id, spk_id or another usual name)"},
      {kSources, "speaker-from", a_value_for_each_name, "[NAME=]REGEX", nullptr,
       "where no field names the speaker: what the first group of this regular expression matches, in the key or the "
       "path: calls='^([^-]+)-'"},
      {kSources, "audio-root", one_value, "DIR", nullptr,
       "for manifests of Lhotse: the folder that holds the audio, if the paths in them begin elsewhere"},
      {kSources, "labels", several_values, "[NAME=]FILE", nullptr,
       "a table whose rows are the samples of NAME: an audio file, begin and length, text; JSON lines, CSV, TSV, or Lhotse's cuts"},
      {kSources, "metadata", several_values, "[NAME=]FILE", nullptr,
       "a table with more fields for samples, matched by key: JSON lines, or TSV or CSV with a header; may be given several times"},
      {kSources, "interleave", one_value, "K", "16",
       "files of a dataset to read at the same time; keeps all cores busy and mixes neighbours; 1: one after another"},
      {kSources, "seed", one_value, "S", "0",
       "shuffles the order of the source files (0 keeps the order given), and chooses samples for --take, --weight and --split"},

      {kSamples, "min-duration", one_value, "TIME", nullptr, "leave out shorter samples"},
      {kSamples, "max-duration", one_value, "TIME", nullptr, "leave out longer samples"},
      {kSamples, "max-clipping", one_value, "SHARE", nullptr,
       "leave out samples with a larger share at full scale, such as 1%; measures as --quality does"},
      {kSamples, "max-dc-offset", one_value, "SHARE", nullptr,
       "leave out samples with a larger DC offset, in % of full scale; measures as --quality does"},
      {kSamples, "max-silence", one_value, "SHARE", nullptr,
       "leave out samples with a larger share of digital silence; measures as --quality does"},
      {kSamples, "no-narrow-band", nothing, "", nullptr,
       "leave out resampled telephone speech: 16 kHz or more, and nothing above 4 kHz; measures as --quality does"},
      {kSamples, "require-text", nothing, "", nullptr, "leave out samples without a transcript"},
      {kSamples, "allow-missing-text", nothing, "", nullptr,
       "accept a dataset with transcripts for less than nine tenths of its samples; without this, it is an error"},
      {kSamples, "include", several_values, "PATTERN", nullptr,
       "only keys that match this shell pattern (*, ?, [a-z]; * also matches /); may be given several times"},
      {kSamples, "exclude", several_values, "PATTERN", nullptr,
       "no keys that match this shell pattern; may be given several times"},
      {kSamples, "include-keys", one_value, "FILE", nullptr, "only the keys in FILE, one a line"},
      {kSamples, "exclude-keys", one_value, "FILE", nullptr, "no key that is in FILE, one a line"},
      {kSamples, "limit", one_value, "N", nullptr, "stop after N samples, for a trial run"},

      {kAudio, "audio", one_value, "keep|wav|flac", "keep",
       "the container to write; sample values stay the same, audio in this container is copied"},
      {kAudio, "sample-rate", one_value, "HZ", "keep",
       "resample audio that has another rate, with the quality of sox rate -v"},
      {kAudio, "channels", one_value, "keep|mono|left|right|split", "keep",
       "mono: the mean; left, right: that; split: a sample each"},
      {kAudio, "bits", one_value, "keep|16", "keep",
       "16: converts floats and values of other sizes to 16 bits; does not decode mp3 and other lossy audio for that"},
      {kAudio, "quality", nothing, "", nullptr,
       "measure clipping, DC offset, silence and bandwidth of each sample for the manifests; decodes all audio"},
      {kAudio, "require-uniform", nothing, "", nullptr,
       "mixed sample rates, channels or sample formats are an error, not a warning"},

      {kMixing, "weight", a_value_for_each_name, "NAME=W", nullptr,
       "take dataset NAME W times: 2 repeats it under other keys, 0.5 takes a half, chosen by the seed"},
      {kMixing, "take", a_value_for_each_name, "[NAME=]TIME", nullptr,
       "take about TIME of audio from NAME, or from all datasets without a TIME of their own; chosen by the seed"},
      {kMixing, "mix", one_value, "temperature=T", nullptr,
       "a dataset's share is its hours to the power of T: 1 keeps proportions, 0 makes all equal; not for those with --weight or --take"},
      {kMixing, "even", one_value, "leave-out|repeat|off", "off",
       "all shards hold exactly the same number of samples: leaves out the few that are over, or repeats some"},

      {kTrouble, "on-error", one_value, "stop|skip", "stop",
       "at a bad sample or damaged shard: stop, or leave it out and record it in rejects.jsonl"},
      {kTrouble, "on-duplicate", one_value, "stop|first|rename|prefix", "stop",
       "first: keep it; prefix: NAME_key; prefix,first: both"},
      {kTrouble, "on-duplicate-audio", one_value, "off|stop|first", "off",
       "a second sample with equal audio: stop, or keep the first"},
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
  with_option(option.name, value, [&] { set_field(recipe, option.name, value); });
}

/// The NAME of NAME=VALUE; empty for a value without a name.
std::string dataset_named_in(const std::string& value) {
  const std::size_t sign = value.find('=');
  const bool is_named = sign != value.npos && source::is_dataset_name(value.substr(0, sign));
  return is_named ? value.substr(0, sign) : std::string();
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
          fmt::format("--{} {} is a second value for the same dataset", option.name, printable(value)), {},
          "give one of them");
    set(recipe, option, value);
  }
}

deal::ShardSizing sizing(const CommandLine& line) {
  deal::ShardSizing sizing;
  const auto set = [&](const std::string& option) {
    if (!line.has(option)) return false;
    with_option(option, line.text(option), [&] { dataset::set_sizing(sizing, option, line.text(option)); });
    return true;
  };
  set("multiple-of");
  if (std::ranges::count_if(dataset::kShardCountOptions,
                            [&](std::string_view option) { return set(std::string(option)); }) > 1) {
    throw UsageError(
        "more than one of --shards, --shard-duration, --shard-size and --shard-samples is given");
  }
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
          fmt::format("--shards {} is not a multiple of {}", recipe.sizing.amount, recipe.sizing.multiple_of),
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
  line.group("Shards")                                                                                     //
      ("shards", text("N"), "number of shards")                                                            //
      ("shard-duration", text("TIME"), "as many shards as hold about this much audio each")                //
      ("shard-size", text("SIZE"), "as many shards as are about this large each, uncompressed")            //
      ("shard-samples", text("N"), "as many shards as hold about this many samples each (default: 1000)")  //
      ("multiple-of", text("M")->default_value("1"),
       "round the number of shards to a multiple of M: ranks x loader workers");
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
