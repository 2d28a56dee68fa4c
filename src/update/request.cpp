#include "update/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/known_samples.hpp"
#include "repack/fingerprint.hpp"
#include "repack/home.hpp"
#include "repack/part_plan.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"
#include "update/staging.hpp"

namespace shardmill::update {

namespace {

/// Rules that say where to find texts and speakers.
bool has_rules(const UpdateOptions& options) {
  const auto& [fields, patterns] = options.speakers;
  return !options.fields.text_field.empty() || !options.fields.text_fields.empty() || !fields.empty() ||
         !patterns.empty();
}

std::string rules_text(const dataset::Recipe& recipe) {
  std::string text;
  for (const auto& [name, value] : dataset::text_of(recipe)) {
    if (name == "text-field" || name == "speaker-field" || name == "speaker-from")
      text += fmt::format("{} {}\n", name, value);
  }
  return text;
}

base::Xxh128 id_of(const Request& request) {
  std::string text = fmt::format("mix {}\n", static_cast<int>(request.options.mix));
  if (request.options.rewrite_limit) text += fmt::format("limit {}\n", *request.options.rewrite_limit);
  if (request.plan) {
    const pipeline::IntakeOptions& intake = request.plan->recipe.intake;
    text += "add " + request.plan->sources.digest().hex() + "\n";
    for (const pipeline::TableFile& labels : intake.labels)
      text += fmt::format("labels {} {}\n", labels.dataset, labels.hash->hex());
    for (const pipeline::TableFile& table : intake.tables)
      text += fmt::format("table {} {}\n", table.dataset, table.hash->hex());
    // What an update leaves out, another one may take.
    text += fmt::format("bad {}, duplicate {}, same audio {}, without text {}\n", int(intake.on_error),
                        int(intake.on_duplicate), int(intake.on_duplicate_audio), int(intake.missing_text));
    if (request.options.take_back) text += "take back\n";
    if (has_rules(request.options)) text += rules_text(request.plan->recipe);
  }
  if (request.removal) text += "remove " + request.removal->hash().hex() + "\n";
  return base::xxh3_128(base::as_bytes(text));
}

void check_files(const std::string& folder) {
  try {
    dataset::check_files_are_there(folder);
  } catch (const Error& error) {
    throw Error(error.problem(), error.where(), "shardmill repair makes files of a dataset again");
  }
}

dataset::Recipe recipe_for(const UpdateOptions& options, const manifest::DatasetRecord& dataset) {
  dataset::Recipe recipe = dataset::recipe_of(dataset.options);
  if (recipe.intake.limit != 0) {
    throw Error(
        "the dataset was limited to some samples, so it is unknown which samples of its sources are missing",
        at(options.folder), "make it again without a limit");
  }
  if (options.allow_missing_text) recipe.intake.missing_text = source::MissingText::allowed;
  if (options.on_error) recipe.intake.on_error = *options.on_error;
  if (options.on_duplicate) recipe.intake.on_duplicate = *options.on_duplicate;
  if (options.on_duplicate_audio) {
    if (!recipe.intake.form.hearing.sound) {
      throw Error("the dataset was made without comparing audio, so its manifests have no hashes of it",
                  at(options.folder), "shardmill inspect --duplicates compares it with the sources");
    }
    recipe.intake.on_duplicate_audio = *options.on_duplicate_audio;
  }
  return recipe;
}

/// What comes to a dataset that labels describe must be described, too; and labels describe all that has a
/// name.
void check_labels(const UpdateOptions& options, const std::vector<pipeline::TableFile>& old_labels,
                  const std::set<std::string>& old_names) {
  const auto has = [](const std::vector<pipeline::TableFile>& labels, const std::string& dataset) {
    return std::any_of(labels.begin(), labels.end(), [&](const pipeline::TableFile& file) {
      return file.dataset == dataset || file.dataset.empty();
    });
  };
  for (const std::string& source : options.sources) {
    const std::string dataset = source::dataset_name_of(source);
    if (has(old_labels, dataset) && !has(options.labels, dataset))
      throw UsageError(
          fmt::format("the samples of '{}' were named by label files, and none is given for these",
                      printable(dataset)),
          at(source), {}, Remedy::give_labels);
    if (has(options.labels, dataset) && !has(old_labels, dataset) && old_names.contains(dataset))
      throw UsageError(
          fmt::format(
              "the dataset has samples of '{}' that no label file names, and its labels would be for all of "
              "them",
              printable(dataset)),
          at(source), "give the new audio and its labels another name: NEW=SOURCE, NEW=FILE");
  }
}

/// Rules of the dataset, which `repair` reads its sources by, and of the added samples. A name has one rule.
class RulesByName {
 public:
  RulesByName(const UpdateOptions& options, const std::set<std::string>& old_names) : old_names_(old_names) {
    for (const std::string& source : options.sources) added_.insert(source::dataset_name_of(source));
  }

  template <typename Rules>
  void add(std::string_view option, const Rules& given, Rules& rules) const {
    for (const auto& [name, rule] : given) {
      if (!name.empty()) {
        add(option, name, rule, rules);
        continue;
      }
      for (const std::string& each : added_) {
        if (!given.contains(each)) add(option, each, rule, rules);
      }
    }
  }

 private:
  template <typename Rule, typename Rules>
  void add(std::string_view option, const std::string& name, const Rule& rule, Rules& rules) const {
    if (!added_.contains(name))
      throw UsageError(fmt::format("--{}: no source that is added is called '{}'", option, printable(name)),
                       {}, "name one of them: NAME=SOURCE");
    const auto known = rules.find(name);
    const bool is_known = known != rules.end() && known->second == rule;
    if (old_names_.contains(name) && !is_known)
      throw UsageError(fmt::format("--{}: the samples of '{}' that are there were read without it", option,
                                   printable(name)),
                       {}, "give the new ones another name: NEW=SOURCE");
    rules.insert_or_assign(name, rule);
  }

  const std::set<std::string>& old_names_;
  std::set<std::string> added_;
};

void add_rules(const UpdateOptions& options, const std::set<std::string>& old_names,
               pipeline::IntakeOptions& intake) {
  const RulesByName rules(options, old_names);
  auto texts = options.fields.text_fields;
  if (!options.fields.text_field.empty()) texts.emplace("", options.fields.text_field);
  rules.add("text-field", texts, intake.tree.text_fields);
  rules.add("speaker-field", options.speakers.fields, intake.speakers.fields);
  rules.add("speaker-from", options.speakers.patterns, intake.speakers.patterns);
}

/// What the samples of a dataset and its sources are called.
std::set<std::string> names_in(const manifest::DatasetRecord& dataset) {
  std::set<std::string> names;
  for (const auto& part : dataset.datasets) names.insert(part.dataset);
  for (const manifest::DatasetRecord::Source& source : dataset.sources) names.insert(source.dataset);
  return names;
}

}  // namespace

bool Request::is_last_update() const {
  const auto& updates = records.dataset->updates;
  if (updates.empty() || updates.back().id != id) return false;
  // The id knows the names and sizes of the sources. Other data may have both; run.json knows the times.
  return !plan || !repack::difference_of_sources(*plan, options.folder, plan->sources.digest());
}

bool Request::keys_are_shared() const {
  return pipeline::are_keys_shared(recipe.intake) &&
         pipeline::are_keys_shared(dataset::recipe_of(records.dataset->options).intake);
}

std::vector<std::string> Request::dataset_names() const {
  std::vector<std::string> names;
  for (const auto& part : records.dataset->datasets) names.push_back(part.dataset);
  if (!plan) return names;
  for (const pipeline::DatasetInput& input : plan->inputs.datasets) {
    if (std::find(names.begin(), names.end(), input.name) == names.end()) names.push_back(input.name);
  }
  return names;
}

std::string Request::fingerprint() const {
  return repack::fingerprint(*plan) + "update " + id.hex() + "\ndataset " +
         base::sha256_hex(base::as_bytes(base::read_text(records.path(manifest::kDataset)))) + "\n";
}

Request look_up(const UpdateOptions& options, std::shared_ptr<Removal> removal, base::Reporter& reporter) {
  Request request{.options = options,
                  .work = work_of(options.folder),
                  .records = dataset::sound_records(options.folder),
                  .recipe = {},
                  .removal = std::move(removal),
                  .plan = {},
                  .id = {}};
  check_files(options.folder);
  request.recipe = recipe_for(options, *request.records.dataset);
  const std::set<std::string> old_names = names_in(*request.records.dataset);
  add_rules(options, old_names, request.recipe.intake);
  request.recipe.intake.tables =
      tables_for(options, request.recipe.intake.tables, request.recipe.intake.tree, reporter);
  check_labels(options, std::exchange(request.recipe.intake.labels, options.labels), old_names);
  if (!options.sources.empty())
    request.plan = plan_staging(options, *request.records.dataset, request.recipe, reporter);
  request.id = id_of(request);
  return request;
}

std::string work_of(const std::string& folder) {
  return folder + "/" + std::string(dataset::kUpdateFolder);
}

void check_folder(const std::string& folder) {
  const auto holds = [&](std::string_view name) { return base::exists(folder + "/" + std::string(name)); };
  if (!holds(manifest::kDataset) && !holds(manifest::kRun))
    throw Error("is not a dataset of shardmill: there is neither dataset.json nor run.json", at(folder),
                "shardmill repack makes one");
  dataset::check_output_is_ours(folder, dataset::OutputKind::dataset);
}

void check_no_other_run(const std::string& folder, bool is_forced) {
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_finished = base::exists(folder + "/" + std::string(manifest::kDataset));
  const bool is_in_the_way = unfinished == dataset::Unfinished::publishing ||
                             (unfinished == dataset::Unfinished::run && !is_finished) ||
                             (unfinished == dataset::Unfinished::parts && !(is_finished && is_forced));
  if (!is_in_the_way) return;
  const Error error = dataset::unfinished_error(folder);
  const bool may_be_dropped = unfinished == dataset::Unfinished::parts && is_finished;
  throw Error(error.problem(), error.where(), error.advice(),
              may_be_dropped ? Remedy::start_over : Remedy::none);
}

void drop_unfinished(const std::string& folder) {
  if (dataset::unfinished_in(folder) == dataset::Unfinished::parts) {
    repack::check_no_part_at_work(folder);
    repack::remove_work(repack::work_folder_of(folder));
  }
  base::remove_tree(work_of(folder));
}

namespace {

/// The first few names that were not found, as an error shows them.
class Missing {
 public:
  void add(std::string_view name) {
    constexpr std::size_t kShown = 3;
    if (++count_ <= kShown)
      shown_ += fmt::format("{}'{}'", shown_.empty() ? "" : ", ", printable(std::string(name)));
    else if (count_ == kShown + 1)
      shown_ += " and more";
  }
  std::size_t count() const { return count_; }
  const std::string& shown() const { return shown_; }

 private:
  std::size_t count_ = 0;
  std::string shown_;
};

void mark(std::vector<bool>& found, std::optional<std::size_t> number) {
  if (number) found[*number] = true;
}

}  // namespace

Removal::Removal(const UpdateOptions& options)
    : keys_(read(options.remove_keys)),
      speakers_(read(options.remove_speakers)),
      datasets_(options.remove_datasets),
      datasets_found_(datasets_.size(), false),
      speaker_datasets_(speakers_.list.size()) {
  if (!keys_.path.empty() && keys_.list.size() == 0) throw Error("lists no keys", at(keys_.path));
  if (!speakers_.path.empty() && speakers_.list.size() == 0)
    throw Error("lists no speakers", at(speakers_.path));
}

Removal::Names Removal::read(const std::string& path) {
  Names names{.path = path};
  if (!path.empty()) names.list = pipeline::KeyList::read(path);
  names.found.assign(names.list.size(), false);
  return names;
}

Removal::Match Removal::match(const manifest::WholeSampleRecord& record) const {
  Match match;
  if (!keys_.path.empty()) {
    match.key = keys_.list.find(record.key);
    const std::string copied = shard::copied_key(record.key, record.dataset, record.source_key);
    if (!match.key && !copied.empty()) match.key = keys_.list.find(copied);
  }
  const auto dataset = std::find(datasets_.begin(), datasets_.end(), record.dataset);
  if (dataset != datasets_.end()) match.dataset = static_cast<std::size_t>(dataset - datasets_.begin());
  if (speakers_.path.empty()) return match;
  const std::string speaker = shard::speaker_in(record.facts);
  if (speaker.empty()) return match;
  match.speaker = speakers_.list.find(speaker);
  match.speaker_of_dataset = speakers_.list.find(record.dataset + "/" + speaker);
  return match;
}

bool Removal::takes(const manifest::WholeSampleRecord& record) const {
  return match(record).any();
}

bool Removal::takes_speaker_of(const manifest::WholeSampleRecord& record) const {
  const Match match = this->match(record);
  return match.speaker || match.speaker_of_dataset;
}

bool Removal::find(const manifest::WholeSampleRecord& record) {
  const Match match = this->match(record);
  if (!match.any()) return false;
  const std::lock_guard lock(mutex_);
  mark(keys_.found, match.key);
  mark(speakers_.found, match.speaker);
  mark(speakers_.found, match.speaker_of_dataset);
  mark(datasets_found_, match.dataset);
  if (match.speaker || match.speaker_of_dataset)
    found_speakers_.emplace(record.dataset, shard::speaker_in(record.facts));
  if (match.speaker) {
    std::string& dataset = speaker_datasets_[*match.speaker];
    if (dataset.empty()) dataset = record.dataset;
    if (dataset != record.dataset)
      throw Error(fmt::format("a speaker {} is in {} and in {}, and these may be two people",
                              printable(shard::speaker_in(record.facts)),
                              printable(std::min(dataset, record.dataset)),
                              printable(std::max(dataset, record.dataset))),
                  at(speakers_.path), "nothing was removed; write DATASET/SPEAKER in that line");
  }
  return true;
}

void Removal::check_found(const Names& names, std::string_view what, std::string_view advice) {
  if (names.path.empty()) return;
  Missing missing;
  std::vector<bool> met = names.found;
  pipeline::for_each_key(names.path, [&](std::string_view name) {
    const auto number = names.list.find(name);
    if (!number || met[*number]) return;
    met[*number] = true;
    missing.add(name);
  });
  if (missing.count() == 0) return;
  throw Error(fmt::format("names {} that the dataset does not have: {}",
                          base::format_count(missing.count(), what), missing.shown()),
              at(names.path), fmt::format("nothing was removed; {}", advice));
}

void Removal::check_datasets_found() const {
  Missing missing;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    if (!datasets_found_[i]) missing.add(datasets_[i]);
  }
  if (missing.count() == 0) return;
  throw Error(fmt::format("there are no samples of {}", missing.shown()), {},
              "nothing was removed; give names of datasets as the manifests have them");
}

void Removal::check_all_found() const {
  check_found(keys_, "key", "give keys as the manifests have them");
  check_found(speakers_, "speaker", "give speakers as the manifests have them");
  check_datasets_found();
}

base::Xxh128 Removal::hash() const {
  std::vector<std::string> datasets = datasets_;
  std::sort(datasets.begin(), datasets.end());
  std::string text = keys_.list.hash().hex() + speakers_.list.hash().hex();
  for (const std::string& name : datasets) text += "\n" + name;
  return base::xxh3_128(base::as_bytes(text));
}

}  // namespace shardmill::update
