#include "update/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"
#include "update/staging.hpp"

namespace shardmill::update {

namespace {

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
    throw Error("the dataset was limited to some samples, so it is not known what of its sources is missing",
                at(options.folder), "make it again without a limit");
  }
  if (options.allow_missing_text) recipe.intake.missing_text = source::MissingText::allowed;
  if (options.on_error) recipe.intake.on_error = *options.on_error;
  if (options.on_duplicate) recipe.intake.on_duplicate = *options.on_duplicate;
  if (options.on_duplicate_audio) {
    if (!recipe.intake.form.hearing.sound) {
      throw Error("the dataset was made without comparing sounds, so its manifests do not tell them",
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

/// What the samples of a dataset and its sources are called.
std::set<std::string> names_in(const manifest::DatasetRecord& dataset) {
  std::set<std::string> names;
  for (const auto& part : dataset.datasets) names.insert(part.dataset);
  for (const manifest::DatasetRecord::Source& source : dataset.sources) names.insert(source.dataset);
  return names;
}

}  // namespace

bool Request::is_done() const {
  const auto& updates = records.dataset->updates;
  if (options.force || updates.empty() || updates.back().id != id) return false;
  // The id knows the names and sizes of the sources. Other data may have both; run.json knows the times.
  return !plan || !repack::difference_of_sources(*plan, options.folder, plan->sources.digest());
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
  request.recipe.intake.tables =
      tables_for(options, request.recipe.intake.tables, request.recipe.intake.tree, reporter);
  check_labels(options, std::exchange(request.recipe.intake.labels, options.labels),
               names_in(*request.records.dataset));
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

void clean_up_failure(const std::string& folder, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();
    const std::string work = work_of(folder);
    const bool is_worth_keeping = base::exists(pipeline::journal_path(work + "/stage")) ||
                                  base::exists(dataset::publish_list_path(repack::work_folder_of(folder)));
    if (!is_worth_keeping) base::remove_tree(work);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find the rest.
  }
}

}  // namespace shardmill::update
