#include "repack/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "base/text/letters.hpp"
#include "dataset/environment.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/survey.hpp"
#include "repack/fingerprint.hpp"
#include "repack/finish.hpp"
#include "repack/found_sources.hpp"
#include "repack/plan_size.hpp"
#include "repack/user_lists.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

namespace {

constexpr std::uint64_t kMostShards = 1'000'000'000;  // nine digits in a file name

/// SplitMix64, which gives the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    return base::mix(state_) % bound;
  }

 private:
  std::uint64_t state_;
};

void shuffle(std::vector<source::SourceFile>& files, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t left = files.size(); left > 1; --left)
    std::swap(files[left - 1], files[random.below(left)]);
}

/// The number of the dataset with that name. A new name gets a new number.
std::uint32_t dataset_number(const std::string& name, const dataset::Recipe& recipe,
                             std::vector<pipeline::DatasetInput>& datasets) {
  const auto known = std::find_if(datasets.begin(), datasets.end(),
                                  [&](const auto& dataset) { return dataset.name == name; });
  const auto number = static_cast<std::uint32_t>(known - datasets.begin());
  if (known == datasets.end()) {
    const auto& weights = recipe.shares.empty() ? recipe.weights : recipe.shares;
    const auto weight = weights.find(name);
    datasets.push_back({.name = name, .weight = weight == weights.end() ? 1 : weight->second});
  }
  return number;
}

pipeline::Inputs inputs_of(const source::SourceSet& sources, const dataset::Recipe& recipe) {
  pipeline::Inputs inputs;
  for (const source::SourceDataset& source : sources.datasets) {
    pipeline::InputStream stream{.name = source.name, .files = source.files, .datasets = {}};
    if (recipe.seed != 0) shuffle(stream.files, recipe.seed);
    for (const std::string& name : source.dataset_names())
      stream.datasets.push_back(dataset_number(name, recipe, inputs.datasets));
    inputs.streams.push_back(std::move(stream));
  }
  return inputs;
}

std::vector<std::string> names_of(const pipeline::Inputs& inputs) {
  std::vector<std::string> names;
  for (const pipeline::DatasetInput& dataset : inputs.datasets) names.push_back(dataset.name);
  return names;
}

/// Leaves out the change to another form where its size is not needed: it takes time, and changes nothing
/// else.
pipeline::IntakeOptions surveyed(const RepackOptions& options) {
  pipeline::IntakeOptions intake = options.recipe.intake;
  const bool needs_form = options.dry_run || options.recipe.sizing.by == deal::ShardSizing::By::bytes;
  if (!needs_form && options.ignore_free_space) intake.form = {};
  return intake;
}

/// The bytes of the input, as often as the largest weight takes them.
std::uint64_t weighted_bytes(const pipeline::Inputs& inputs) {
  double most = 1;
  for (const pipeline::DatasetInput& dataset : inputs.datasets) most = std::max(most, dataset.weight);
  return static_cast<std::uint64_t>(std::min(static_cast<double>(inputs.bytes()) * most, 1e18));
}

/// Reads the lists of keys that the user gave, before anything is looked up in them.
void read_key_files(pipeline::KeyPatterns& keys) {
  Faults faults;
  faults.attempt([&] { pipeline::read_keys(keys.only); });
  faults.attempt([&] { pipeline::read_keys(keys.never); });
  faults.check();
  if (keys.only.keys && keys.only.keys->size() == 0) throw Error("lists no keys", at(keys.only.path));
}

/// The files that are read before the work begins, apart from the sources: lists of shards, keys and tables.
/// `given`: the sources; some of them may be such lists.
std::vector<std::string> files_read_first(const dataset::Recipe& recipe,
                                          const std::vector<source::GivenSource>& given) {
  std::vector<std::string> paths{recipe.intake.keys.only.path, recipe.intake.keys.never.path};
  for (const auto* tables : {&recipe.intake.tables, &recipe.intake.labels}) {
    for (const pipeline::TableFile& table : *tables) paths.push_back(table.path);
  }
  for (const source::GivenSource& source : given) paths.push_back(source.path);
  std::erase_if(paths, [](const std::string& path) { return path.empty() || !base::may_exist(path); });
  return paths;
}

/// Throws UsageError when one of `paths` leads to a file of the dataset in `folder`, which the new dataset
/// replaces.
void check_not_replaced(const std::vector<std::string>& paths, const std::string& folder) {
  if (paths.empty() || !base::exists(folder)) return;
  std::set<base::Identity> replaced;
  for (const std::string& name : dataset::dataset_file_names(folder)) {
    if (const auto identity = base::identity_of(base::inside(folder, name))) replaced.insert(*identity);
  }
  for (const std::string& path : paths) {
    const auto identity = base::identity_of(path);
    if (identity && replaced.contains(*identity))
      throw UsageError("is a file of the dataset that is replaced", at(path), "copy it elsewhere first");
  }
}

/// A run counts these in its summary; a dry run has none.
void warn_of_rows_without_sample(const pipeline::TableFile& table, const std::vector<bool>& met,
                                 base::Reporter& reporter) {
  constexpr std::uint64_t kNamed = 3;
  std::uint64_t rows = 0;
  std::string named;
  for (std::size_t row = 0; row < met.size(); ++row) {
    if (met[row] || ++rows > kNamed) continue;
    named += fmt::format("{}'{}'", named.empty() ? "" : ", ", printable(table.table->row(row).key));
  }
  if (rows == 0) return;
  reporter.warn(Error(
      fmt::format("{} no sample: {}{}", rows == 1 ? "1 row has" : base::format_count(rows) + " rows have",
                  named, rows > kNamed ? ", ..." : ""),
      at(table.path)));
}

/// Of datasets whose utterances are known beforehand: throws Error where a table has no row for any of them.
void check_matches(const pipeline::TableFile& table, const RepackPlan& plan, base::Reporter& reporter) {
  std::vector<bool> met(table.table->rows(), false);
  std::string example;
  bool is_any_met = false;
  for (const pipeline::InputStream& stream : plan.inputs.streams) {
    if (!table.is_for(stream.name)) continue;
    for (const source::SourceFile& file : stream.files) {
      if (file.tree || file.utterances.empty()) return;  // it tells when it is read
      for (const source::CorpusUtterance& utterance : file.utterances) {
        for (const std::string& key : pipeline::possible_keys(utterance.key, plan.recipe.intake)) {
          const auto row = pipeline::find_row(table, key, {});
          if (row) met[*row] = true;
          is_any_met = is_any_met || row;
        }
        if (is_any_met && !plan.is_trial) return;
        if (example.empty()) example = utterance.key;
      }
    }
  }
  if (!is_any_met && !example.empty()) throw no_match_error(table, example);
  if (plan.is_trial && is_any_met) warn_of_rows_without_sample(table, met, reporter);
}

void check_tables(const RepackPlan& plan, base::Reporter& reporter, Faults& faults) {
  for (const pipeline::TableFile& table : plan.recipe.intake.tables) {
    faults.attempt([&] {
      if (!table.dataset.empty()) check_names(plan.inputs, "metadata", {{table.dataset, 0}});
      if (table.table) check_matches(table, plan, reporter);
    });
  }
}

/// Options that name datasets name those that there are.
void check_named_datasets(const RepackOptions& options, const RepackPlan& plan, base::Reporter& reporter) {
  Faults faults;
  const dataset::Recipe& recipe = plan.recipe;
  const auto check = [&](std::string_view option, const auto& values) {
    std::map<std::string, double> named;
    for (const auto& [name, value] : values) named.emplace(name, 0);
    faults.attempt([&] { check_names(plan.inputs, option, named); });
  };
  check("weight", recipe.weights);
  check("take", recipe.takes);
  if (options.are_names_for_all) {
    check("text-field", recipe.intake.tree.text_fields);
    check("speaker-field", recipe.intake.speakers.fields);
    check("speaker-from", recipe.intake.speakers.patterns);
  }
  if (options.are_tables_for_all) check_tables(plan, reporter, faults);
  faults.check();
}

/// When amounts or a temperature are asked for, computes how much of each dataset is taken, unless that is
/// settled already.
void settle(RepackPlan& plan, bool also_look, base::Reporter& reporter) {
  dataset::Recipe& recipe = plan.recipe;
  const bool is_open = (!recipe.takes.empty() || recipe.temperature) && recipe.shares.empty();
  if (!is_open && !also_look) return;
  reporter.phase("looking at the sources");
  pipeline::Inputs as_they_are = plan.inputs;
  for (pipeline::DatasetInput& dataset : as_they_are.datasets) dataset.weight = 1;
  plan.dataset_seconds = seconds_of_datasets(as_they_are, recipe.intake, reporter);
  reporter.phase("");
  if (!is_open) return;
  recipe.shares = settle_shares(recipe, as_they_are, plan.dataset_seconds);
  for (pipeline::DatasetInput& dataset : plan.inputs.datasets)
    dataset.weight = recipe.shares.at(dataset.name);
}

/// An estimate costs about half a second of one core for each dataset, and delays the start.
bool needs_estimate(const RepackOptions& options, const RepackPlan& plan) {
  // How much a work folder must hold is said before the start.
  const bool is_said = options.dry_run || !plan.recipe.final_place.empty();
  if (options.recipe.sizing.by != deal::ShardSizing::By::shards || is_said) return true;
  return !options.ignore_free_space &&
         !dataset::has_plenty_of_room(options.out_folder, weighted_bytes(plan.inputs));
}

}  // namespace

void check_names(const pipeline::Inputs& inputs, std::string_view option,
                 const std::map<std::string, double>& named) {
  for (const auto& [name, value] : named) {
    if (name.empty()) continue;
    const bool known = std::any_of(inputs.datasets.begin(), inputs.datasets.end(),
                                   [&wanted = name](const auto& dataset) { return dataset.name == wanted; });
    if (!known)
      throw UsageError(fmt::format("--{} names the dataset '{}', but no dataset has that name", option, name),
                       {},
                       base::did_you_mean(name, names_of(inputs),
                                          fmt::format("there are: {}", fmt::join(names_of(inputs), ", "))));
  }
}

std::vector<std::string> names_to_be_written(const RepackPlan& plan) {
  dataset::DatasetNaming naming{.prefix = plan.recipe.prefix,
                                .codec_suffix = std::string(codec::suffix(plan.recipe.codec)),
                                .shards = plan.shards,
                                .indexes = plan.recipe.indexes,
                                .datasets = {},
                                .parity = plan.recipe.parity};
  for (const pipeline::DatasetInput& input : plan.inputs.datasets) naming.datasets.push_back(input.name);
  return dataset::names_in_dataset(naming);
}

namespace {

/// For the checks of a dry run. Those of very many are left to the run, which reads them one by one.
void read_late_utterances(pipeline::Inputs& inputs, base::Reporter& reporter) {
  std::uint64_t left = 300'000;
  for (pipeline::InputStream& stream : inputs.streams) {
    for (source::SourceFile& file : stream.files) {
      if (!file.late || file.late->samples > left) continue;
      reporter.check_stop();
      left -= file.late->samples;
      file.corpus = file.late->read();
      file.utterances = file.corpus->utterances;
      file.late.reset();
    }
  }
}

/// A warning where the audio has several forms, or an Error if it must not.
void check_mix(const RepackPlan& plan, std::vector<manifest::DatasetRecord::AudioKind> audio,
               base::Reporter& reporter) {
  manifest::DatasetRecord seen;
  seen.audio = std::move(audio);
  const auto mix = mix_in(seen);
  if (mix && plan.recipe.intake.require_uniform)
    throw Error(mix->problem(), mix->where(), Remedy::one_audio_form);
  if (mix) reporter.warn(*mix);
}

/// The same for a run that other faults end. A file that cannot be read is passed over: it is one of these
/// faults.
void check_mix_of_the_rest(const RepackOptions& options, const RepackPlan& plan, Faults& faults,
                           base::Reporter& reporter) {
  pipeline::Survey survey;
  Faults told;
  told.attempt([&] { survey = pipeline::survey(plan.inputs, surveyed(options), reporter); });
  faults.attempt([&] { check_mix(plan, std::move(survey.audio), reporter); });
}

void settle_shards(const RepackOptions& options, RepackPlan& plan, base::Reporter& reporter) {
  if (needs_estimate(options, plan)) {
    reporter.phase("looking at the sources");
    pipeline::Survey survey = pipeline::survey(plan.inputs, surveyed(options), reporter);
    plan.estimate = pipeline::sum(survey.estimates);
    plan.audio_extensions = std::move(survey.audio_extensions);
    if (options.dry_run) check_mix(plan, std::move(survey.audio), reporter);
    reporter.phase("");
  }
  const std::uint64_t shards = deal::shard_count(plan.recipe.sizing, plan.estimate);
  if (shards > kMostShards) throw UsageError(fmt::format("{} shards are too many", shards));
  plan.shards = static_cast<std::uint32_t>(shards);
  plan.recipe.sizing.by = deal::ShardSizing::By::shards;
  plan.recipe.sizing.amount = shards;
}

}  // namespace

RepackPlan make_plan(const RepackOptions& options, base::Reporter& reporter) {
  RepackPlan plan;
  plan.recipe = options.recipe;
  plan.recipe.intake.needs_speakers = options.needs_speakers;
  plan.recipe.intake.runs_commands = options.allow_commands;
  plan.is_trial = options.dry_run;
  plan.max_rejects = options.max_rejects;
  Faults faults;
  faults.attempt([&] { read_key_files(plan.recipe.intake.keys); });
  if (!faults.attempt([&] { pipeline::read_tables(plan.recipe.intake); }))
    plan.recipe.intake.tree.text_field_is_elsewhere = true;
  for (const pipeline::TableFile& file : plan.recipe.intake.tables) {
    if (file.table && !file.table->doubt().empty()) reporter.warn(Error(file.table->doubt(), at(file.path)));
  }
  std::vector<source::LabelFile> labels;
  const bool has_labels = faults.attempt([&] {
    pipeline::settle_labels(options.sources, plan.recipe.intake.labels);
    labels = pipeline::read_labels(plan.recipe.intake);
  });
  // Without its labels, the audio of a dataset would lack transcripts.
  if (!has_labels) faults.check();
  dataset::Recipe& recipe = plan.recipe;
  dataset::check_codec(recipe.indexes, recipe.codec);
  // All that is in a work folder is ours.
  if (!options.is_for_bucket())
    dataset::check_output_is_ours(options.out_folder, dataset::OutputKind::dataset);
  const std::string root = dataset::list_root_in(recipe, options.out_folder);
  manifest::check_list_root(root);
  dataset::check_root(recipe.indexes, root);
  plan.sources = found_sources(options, recipe, labels, faults);
  plan.inputs = inputs_of(plan.sources, recipe);
  if (options.dry_run) faults.attempt([&] { read_late_utterances(plan.inputs, reporter); });
  const auto warn = [&] {
    for (const Error& warning : plan.sources.warnings)
      reporter.warn(pipeline::as_warned(warning, recipe.intake));
  };
  if (!faults.empty()) {
    // All other problems that can be found now belong to the same list.
    if (options.dry_run) warn();
    faults.attempt([&] { check_named_datasets(options, plan, reporter); });
    faults.attempt([&] { check_sources(plan, reporter); });
    if (options.dry_run) check_mix_of_the_rest(options, plan, faults, reporter);
    faults.check();
  }
  warn();
  source::check_output_folder(options.out_folder, plan.sources);
  check_not_replaced(files_read_first(recipe, plan.sources.given), options.out_folder);
  check_named_datasets(options, plan, reporter);
  settle(plan, options.dry_run, reporter);
  settle_shards(options, plan, reporter);
  if (base::exists(options.out_folder)) {
    dataset::check_not_taken(options.out_folder, names_to_be_written(plan),
                             dataset::dataset_file_names(options.out_folder));
  }
  return plan;
}

pipeline::MillPlan mill_plan(const RepackPlan& plan, pipeline::Inputs inputs, const std::string& work_folder,
                             const pipeline::CheckpointInterval& checkpoints) {
  return {.inputs = std::move(inputs),
          .intake = plan.recipe.intake,
          .interleave = plan.recipe.interleave,
          .seed = plan.recipe.seed,
          .even = plan.recipe.even,
          .shards = plan.shards,
          .hash_tars = plan.recipe.codec == codec::Codec::none,
          .work_folder = work_folder,
          .fingerprint = fingerprint(plan),
          .unusable = plan.sources.unusable,
          .promises = plan.sources.promises,
          .checkpoints = checkpoints};
}

}  // namespace shardmill::repack
