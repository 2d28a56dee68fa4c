#include "repack/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/io/folder.hpp"
#include "base/text/similar.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/path_lists.hpp"
#include "pipeline/survey.hpp"
#include "repack/free_space.hpp"

namespace shardmill::repack {

namespace {

constexpr std::uint64_t kMostShards = 1'000'000'000;  // nine digits in a file name

/// SplitMix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % bound;
  }

 private:
  std::uint64_t state_;
};

void shuffle(std::vector<source::SourceFile>& files, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t left = files.size(); left > 1; --left)
    std::swap(files[left - 1], files[random.below(left)]);
}

/// The number of the dataset of that name, which is new or known.
std::uint32_t dataset_number(const std::string& name, const RepackOptions& options,
                             std::vector<pipeline::DatasetInput>& datasets) {
  const auto known = std::find_if(datasets.begin(), datasets.end(),
                                  [&](const auto& dataset) { return dataset.name == name; });
  const auto number = static_cast<std::uint32_t>(known - datasets.begin());
  if (known == datasets.end()) {
    const auto weight = options.weights.find(name);
    datasets.push_back({.name = name, .weight = weight == options.weights.end() ? 1 : weight->second});
  }
  return number;
}

pipeline::Inputs inputs_of(const source::SourceSet& sources, const RepackOptions& options) {
  pipeline::Inputs inputs;
  for (const source::SourceDataset& source : sources.datasets) {
    pipeline::InputStream stream{.name = source.name, .files = source.files, .datasets = {}};
    if (options.seed != 0) shuffle(stream.files, options.seed);
    for (const std::string& name : source.dataset_names())
      stream.datasets.push_back(dataset_number(name, options, inputs.datasets));
    inputs.streams.push_back(std::move(stream));
  }
  return inputs;
}

std::vector<std::string> names_of(const pipeline::Inputs& inputs) {
  std::vector<std::string> names;
  for (const pipeline::DatasetInput& dataset : inputs.datasets) names.push_back(dataset.name);
  return names;
}

void check_weights(const pipeline::Inputs& inputs, const RepackOptions& options) {
  for (const auto& [name, weight] : options.weights) {
    const bool known = std::any_of(inputs.datasets.begin(), inputs.datasets.end(),
                                   [&name = name](const auto& dataset) { return dataset.name == name; });
    if (!known)
      throw UsageError(fmt::format("--weight names the dataset '{}', but there is none of that name", name),
                       {},
                       base::did_you_mean(name, names_of(inputs),
                                          fmt::format("there are: {}", fmt::join(names_of(inputs), ", "))));
  }
}

std::string_view text_of(pipeline::OnError policy) {
  return policy == pipeline::OnError::stop ? "stop" : "skip";
}

std::string_view text_of(pipeline::OnDuplicate policy) {
  switch (policy) {
    case pipeline::OnDuplicate::stop:
      return "stop";
    case pipeline::OnDuplicate::first:
      return "first";
    case pipeline::OnDuplicate::rename:
      break;
  }
  return "rename";
}

std::string_view text_of(pipeline::TextPlace place) {
  switch (place) {
    case pipeline::TextPlace::both:
      return "both";
    case pipeline::TextPlace::members:
      return "members";
    case pipeline::TextPlace::manifest:
      break;
  }
  return "manifest";
}

std::string_view text_of(shard::KeyRule rule) {
  return rule == shard::KeyRule::wenet ? "wenet" : "webdataset";
}

std::string_view text_of(audio::WantedForm::Container container) {
  switch (container) {
    case audio::WantedForm::Container::keep:
      return "keep";
    case audio::WantedForm::Container::wav:
      return "wav";
    case audio::WantedForm::Container::flac:
      break;
  }
  return "flac";
}

std::vector<std::pair<std::string, std::string>> options_of(const RepackOptions& options,
                                                            std::uint32_t shards) {
  const pipeline::IntakeOptions& intake = options.intake;
  const bool bounded = intake.max_seconds != std::numeric_limits<double>::infinity();
  std::string weights;
  for (const auto& [name, weight] : options.weights) {
    weights += fmt::format("{}{}={}", weights.empty() ? "" : ",", name, weight);
  }
  return {{"shards", fmt::format("{}", shards)},
          {"codec", std::string(codec::name(options.codec))},
          {"level", options.level ? fmt::format("{}", *options.level) : "default"},
          {"seekable", options.seekable ? "yes" : "no"},
          {"prefix", options.prefix},
          {"index", manifest::names(options.indexes)},
          {"text", std::string(text_of(intake.text))},
          {"audio", std::string(text_of(intake.form.container))},
          {"sample-rate", intake.form.sample_rate ? fmt::format("{}", *intake.form.sample_rate) : "keep"},
          {"channels", intake.form.mono ? "mono" : "keep"},
          {"require-uniform", intake.require_uniform ? "yes" : "no"},
          {"key-rule", std::string(text_of(intake.key_rule))},
          {"min-duration", fmt::format("{}", intake.min_seconds)},
          {"max-duration", bounded ? fmt::format("{}", intake.max_seconds) : "none"},
          {"require-text", intake.require_text ? "yes" : "no"},
          {"allow-missing-text", intake.missing_text == source::MissingText::allowed ? "yes" : "no"},
          {"include", pipeline::text_of(intake.keys.include)},
          {"exclude", pipeline::text_of(intake.keys.exclude)},
          {"limit", intake.limit != 0 ? fmt::format("{}", intake.limit) : "none"},
          {"interleave", fmt::format("{}", options.interleave)},
          {"seed", fmt::format("{}", options.seed)},
          {"weight", weights.empty() ? "none" : weights},
          {"on-error", std::string(text_of(intake.on_error))},
          {"on-duplicate", std::string(text_of(intake.on_duplicate))},
          {"list-root", options.list_root.empty() ? "the output folder" : options.list_root}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A policy that nothing has yet called for may change.
bool may_follow(const std::string& old, const std::string& now) {
  const auto is = [](const std::string& line, std::string_view option) { return line.starts_with(option); };
  return (old == "on-error: stop" && is(now, "on-error: ")) ||
         (is(old, "allow-missing-text: ") && is(now, "allow-missing-text: ")) ||
         (old == "require-uniform: yes" && is(now, "require-uniform: ")) ||
         (old == "on-duplicate: stop" && is(now, "on-duplicate: "));
}

/// Bringing audio to another form takes time, and only the size of it depends on that.
pipeline::IntakeOptions surveyed(const RepackOptions& options) {
  pipeline::IntakeOptions intake = options.intake;
  if (options.sizing.by != deal::ShardSizing::By::bytes && options.ignore_free_space) intake.form = {};
  return intake;
}

/// The input may be taken several times.
std::uint64_t weighted_bytes(const pipeline::Inputs& inputs) {
  double most = 1;
  for (const pipeline::DatasetInput& dataset : inputs.datasets) most = std::max(most, dataset.weight);
  return static_cast<std::uint64_t>(std::min(static_cast<double>(inputs.bytes()) * most, 1e18));
}

/// An estimate costs about half a second of one core for each dataset, and delays the start.
bool needs_estimate(const RepackOptions& options, const RepackPlan& plan) {
  if (options.sizing.by != deal::ShardSizing::By::shards || options.dry_run) return true;
  return !options.ignore_free_space && !has_plenty_of_room(options.out_folder, weighted_bytes(plan.inputs));
}

}  // namespace

std::vector<std::string> names_to_be_written(const RepackOptions& options, const RepackPlan& plan) {
  dataset::DatasetNaming naming{.prefix = options.prefix,
                                .codec_suffix = std::string(codec::suffix(options.codec)),
                                .shards = plan.shards,
                                .indexes = options.indexes};
  for (const pipeline::DatasetInput& input : plan.inputs.datasets) naming.datasets.push_back(input.name);
  return dataset::names_in_dataset(naming);
}

RepackPlan make_plan(const RepackOptions& options, base::Reporter& reporter) {
  dataset::check_codec(options.indexes, options.codec);
  dataset::check_output_is_ours(options.out_folder, dataset::OutputKind::dataset);
  manifest::check_list_root(options.list_root.empty() ? base::canonical(options.out_folder)
                                                      : options.list_root);
  RepackPlan plan;
  const bool skip = options.intake.on_error == pipeline::OnError::skip;
  plan.sources = source::find_sources(
      options.sources, {.on_unusable = skip ? source::OnUnusable::collect : source::OnUnusable::stop,
                        .allow_commands = options.allow_commands,
                        .wanted = [&](std::string_view key) { return options.intake.keys.wants(key); },
                        .missing_text = options.intake.missing_text});
  for (const Error& warning : plan.sources.warnings) reporter.warn(warning);
  source::check_output_folder(options.out_folder, plan.sources);
  plan.inputs = inputs_of(plan.sources, options);
  check_weights(plan.inputs, options);
  if (needs_estimate(options, plan)) {
    reporter.phase("looking at the sources");
    pipeline::Survey survey = pipeline::survey(plan.inputs, surveyed(options), reporter);
    plan.estimate = pipeline::sum(survey.estimates);
    plan.audio_extensions = std::move(survey.audio_extensions);
    reporter.phase("");
  }
  const std::uint64_t shards = deal::shard_count(options.sizing, plan.estimate);
  if (shards > kMostShards) throw UsageError(fmt::format("{} shards are too many", shards));
  plan.shards = static_cast<std::uint32_t>(shards);
  plan.options = options_of(options, plan.shards);
  if (base::exists(options.out_folder)) {
    dataset::check_not_taken(options.out_folder, names_to_be_written(options, plan),
                             dataset::dataset_file_names(options.out_folder));
  }
  return plan;
}

std::string fingerprint(const RepackPlan& plan) {
  std::string text;
  for (const auto& [name, value] : plan.options) text += fmt::format("{}: {}\n", name, printable(value));
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        text += fmt::format("source {} {}: {} bytes, written at {}\n", dataset.name, printable(file.path),
                            file.bytes, file.mtime_ns);
      }
    }
  }
  return text;
}

std::optional<std::string> difference(const std::string& old, const std::string& now) {
  const auto old_lines = lines_of(old);
  const auto now_lines = lines_of(now);
  for (std::size_t i = 0; i < std::max(old_lines.size(), now_lines.size()); ++i) {
    const std::string before = i < old_lines.size() ? old_lines[i] : "nothing";
    const std::string after = i < now_lines.size() ? now_lines[i] : "nothing";
    if (before != after && !may_follow(before, after))
      return fmt::format("then '{}', now '{}'", before, after);
  }
  return std::nullopt;
}

}  // namespace shardmill::repack
