#include "repack/found_sources.hpp"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace shardmill::repack {

namespace {

/// For FindOptions::has_other_text. A table that could not be read might have any text.
std::function<bool(const std::string&, std::string_view)> texts_of_tables(
    const pipeline::IntakeOptions& options) {
  if (options.tables.empty()) return {};
  return [&options](const std::string& dataset, std::string_view key) {
    const auto has_text = [&](const std::string& each) {
      return !pipeline::fields_in(options.tables, dataset, each, {}).text.empty();
    };
    return pipeline::has_unread_table(options.tables, dataset) ||
           std::ranges::any_of(pipeline::possible_keys(key, options), has_text);
  };
}

/// Leaves out samples of an unknown split and hours without a text, unless the user asked for them.
source::TreeOptions strict(const pipeline::IntakeOptions& intake) {
  source::TreeOptions tree = intake.tree;
  tree.needs_splits = tree.subsets.empty() || source::has_wanted_subset({"all"}, tree.subsets);
  tree.needs_tables = intake.missing_text == source::MissingText::refused && intake.tables.empty();
  return tree;
}

source::SourceSet sources_of(const RepackOptions& options, const dataset::Recipe& recipe,
                             std::vector<source::LabelFile> labels, Faults& faults) {
  const bool skip = recipe.intake.on_error == pipeline::OnError::skip;
  return source::find_sources(options.sources,
                              {.on_unusable = skip ? source::OnUnusable::collect : source::OnUnusable::stop,
                               .allow_commands = options.allow_commands,
                               .wanted = [&](std::string_view key) { return recipe.intake.keys.wants(key); },
                               .missing_text = recipe.intake.missing_text,
                               .md5s = options.md5s,
                               .tree = strict(recipe.intake),
                               .labels = std::move(labels),
                               .has_other_text = texts_of_tables(recipe.intake),
                               .may_have_other_texts =
                                   [&](const std::string& dataset) {
                                     return pipeline::may_have_texts(recipe.intake.tables, dataset);
                                   },
                               .textless_tables = pipeline::textless_tables(recipe.intake.tables),
                               .is_trial = options.dry_run,
                               .faults = &faults});
}

/// "a" and "b" for "a=b".
std::pair<std::string, std::string> name_and_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Changes the options as the advice of an error says that names tables beside the audio. Returns false for
/// another error.
bool follow(const Error& error, RepackOptions& options) {
  const Remedy remedy = error.remedy();
  pipeline::IntakeOptions& intake = options.recipe.intake;
  if (remedy == Remedy::name_text_field) {
    const auto named = name_and_value(error.advice());
    intake.tree.text_fields.insert(named);
    for (pipeline::TableFile& table : intake.tables) {
      if (table.is_for(named.first)) table.table.reset();  // it is read again with this field
    }
    return true;
  }
  if (remedy != Remedy::give_table && remedy != Remedy::give_labels_beside &&
      remedy != Remedy::give_audio_list)
    return false;
  std::istringstream lines(error.advice());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const auto [dataset, path] = name_and_value(line.substr(0, tab));
    if (tab < line.size()) intake.tree.text_fields.insert(name_and_value(line.substr(tab + 1)));
    if (remedy == Remedy::give_table) intake.tables.push_back({.dataset = dataset, .path = path});
    if (remedy == Remedy::give_labels_beside) intake.labels.push_back({.dataset = dataset, .path = path});
    if (remedy != Remedy::give_audio_list) continue;
    for (std::string& source : options.sources) {
      if (source::dataset_name_of(source) == dataset) source = line.substr(0, tab);
    }
  }
  return true;
}

}  // namespace

source::SourceSet found_sources(const RepackOptions& options, dataset::Recipe& recipe,
                                const std::vector<source::LabelFile>& labels, Faults& faults) {
  Faults found;
  source::SourceSet sources = sources_of(options, recipe, labels, found);
  RepackOptions followed = options;
  followed.recipe.intake = recipe.intake;
  bool is_followed = false;
  for (const Error& error : found.errors()) {
    if (!options.dry_run || !follow(error, followed)) continue;
    is_followed = true;
    faults.attempt([&] { throw error; });
  }
  if (is_followed) {
    found = Faults();
    found.attempt([&] { pipeline::read_tables(followed.recipe.intake); });
    recipe.intake = followed.recipe.intake;
    found.attempt(
        [&] { sources = sources_of(followed, recipe, pipeline::read_labels(recipe.intake), found); });
  }
  faults.attempt([&] { found.check(); });
  return sources;
}

}  // namespace shardmill::repack
