#include "repack/parts/deal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "deal/parts.hpp"
#include "pipeline/give_back.hpp"
#include "pipeline/input_checks.hpp"
#include "repack/home.hpp"
#include "repack/parts/shared_work.hpp"

namespace shardmill::repack {

using pipeline::PartState;

namespace {

/// Throws an Error that names the parts whose sources are still to be read, and the command for that.
std::vector<PartState> all_states(const RepackOptions& options, const PartPlan& plan) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<PartState> states;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t part = 0; part < plan.parts; ++part) {
    if (auto state = state_of(options.place(), plan, part)) {
      states.push_back(std::move(*state));
    } else {
      missing.push_back(part);
    }
  }
  if (missing.empty()) return states;
  std::string names;
  for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", missing[i]);
  throw Error(
      fmt::format("{} of {} {} not done: {}{}", missing.size(), base::format_count(plan.parts, "part"),
                  missing.size() == 1 ? "is" : "are", names, missing.size() > kMostNamed ? ", ..." : ""),
      at(options.place()), fmt::format("run {}", command_of_part(options, std::to_string(missing[0]))));
}

std::uint64_t taken_by(const std::vector<PartState>& states) {
  std::uint64_t taken = 0;
  for (const PartState& state : states) taken += state.admission.counts.taken;
  return taken;
}

void check_keys(const std::string& out_folder, const PartPlan& plan) {
  std::vector<std::string> folders;
  for (std::uint32_t part = 0; part < plan.parts; ++part) folders.push_back(part_folder(out_folder, part));
  const auto shared = pipeline::find_shared_key(folders);
  if (!shared) return;
  throw Error(
      fmt::format("part {} has a sample with a key that another part has too: '{}'", shared->part,
                  pipeline::key_of_hash(folders[shared->part], shared->hash).value_or("(not found again)")),
      at(out_folder), "rename it in the source: a run in parts needs unique keys", Remedy::not_in_parts);
}

/// Before anything is dealt: the parts that were read stay as they are.
void check_promises(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan) {
  if (whole.recipe.intake.on_error == pipeline::OnError::skip) return;
  for (const manifest::Reject& reject : broken_promises_of_parts(options.place(), whole, plan)) {
    if (!manifest::is_error(reject.reason)) continue;
    throw Error(reject.problem, {.path = reject.source, .member = reject.key.value_or("")},
                Remedy::skip_bad_samples);
  }
}

pipeline::IntakeCounts counts_of(const std::vector<PartState>& states) {
  std::vector<pipeline::IntakeCounts> counts;
  for (const PartState& state : states) counts.push_back(state.admission.counts);
  return pipeline::sum(counts);
}

void check_uniform(const std::string& out_folder, const std::vector<PartState>& states) {
  const auto forms = counts_of(states).forms;
  for (const auto& [form, amount] : forms) {
    const pipeline::AudioForm& first = forms.begin()->first;
    const bool has_same_values = std::none_of(forms.begin(), forms.end(), [&form = form](const auto& other) {
      return manifest::has_other_values(other.first.format, form.format);
    });
    if (form.sample_rate == first.sample_rate && form.channels == first.channels && has_same_values) continue;
    throw Error(
        fmt::format(
            "the audio is not uniform: {} Hz with {} of {} in one part, {} Hz with {} of {} in another",
            first.sample_rate, base::format_count(first.channels, "channel"), first.format, form.sample_rate,
            base::format_count(form.channels, "channel"), form.format),
        at(out_folder), Remedy::one_audio_form);
  }
}

std::vector<std::string> dataset_names(const RepackPlan& whole) {
  std::vector<std::string> names;
  for (const auto& input : whole.inputs.datasets) names.push_back(input.name);
  return names;
}

/// Lets each part give back the last `samples` samples of each of its shards, unless it has done so already.
void give_back(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
               std::uint64_t samples, base::Reporter& reporter) {
  SharedWork shared(options, reporter);
  for (std::uint32_t part = 0; part < plan.parts; ++part) {
    reporter.check_stop();
    const std::string folder = part_folder(options.out_folder, part);
    const base::WriterLock lock = lock_folder(folder, options, reporter);
    const auto state = state_of(options.place(), plan, part);
    if (state && state->mill.given_back > 0) {
      shared.leave(part);
      continue;
    }
    shared.fetch(part);
    pipeline::give_back(folder, dataset_names(whole), samples);
    shared.send_given_back(part);
  }
}

/// How many samples each shard must give back so that the shards become more equal than by `dealt`.
std::uint64_t samples_to_give_back(const RepackOptions& options, const RepackPlan& whole,
                                   const PartPlan& plan, const std::vector<PartState>& states,
                                   const deal::RestDeal& dealt) {
  std::vector<deal::PartSamples> parts;
  for (std::uint32_t part = 0; part < plan.parts; ++part) {
    const auto shards = static_cast<std::uint32_t>(states[part].mill.spools.size());
    deal::PartSamples& samples = parts.emplace_back(deal::PartSamples{
        .shards =
            pipeline::read_dealt_samples(part_folder(options.place(), part), dataset_names(whole), shards),
        .held = {}});
    for (const pipeline::HeldStore::Entry& entry : states[part].mill.held)
      samples.held.push_back(entry.sample);
  }
  return deal::samples_to_give_back(parts, whole.inputs.datasets.size(), {}, dealt);
}

/// The number of samples that parts give back is written down first, so that a killed run that goes on gives
/// back the same samples.
pipeline::HeldShards deal_evenly(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                                 std::vector<PartState>&& states, base::Reporter& reporter) {
  std::uint64_t samples = pipeline::read_given_back(given_back_path(options.place()), plan.id);
  if (samples == 0) {
    reporter.phase("dealing the rest");
    const deal::RestDeal dealt = pipeline::deal_held(states);
    if (!dealt.is_even()) samples = samples_to_give_back(options, whole, plan, states, dealt);
    if (samples == 0) return pipeline::by_part(states, dealt);
    const std::string path = given_back_path(options.out_folder);
    pipeline::write_given_back(path, plan.id, samples);
    SharedWork(options, reporter).send(path);
  }
  reporter.phase("making unlike parts even");
  give_back(options, whole, plan, samples, reporter);
  states = all_states(options, plan);
  reporter.phase("dealing the rest");
  return pipeline::by_part(states, pipeline::deal_held(states));
}

}  // namespace

std::optional<PartState> state_of(const std::string& out_folder, const PartPlan& plan, std::uint32_t part) {
  return state_in(part_folder(out_folder, part), plan, part);
}

std::optional<PartState> state_in(const std::string& folder, const PartPlan& plan, std::uint32_t part) {
  auto state = pipeline::read_part_state(folder);
  if (!state || !state->mill.all_read) return std::nullopt;
  if (state->fingerprint != part_fingerprint(plan, part)) {
    throw Error("belongs to another run", at(folder), Remedy::start_over);
  }
  return state;
}

pipeline::HeldShards deal_held(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                               base::Reporter& reporter) {
  if (auto dealt = pipeline::read_held_shards(held_shards_path(options.place()), plan.id)) return *dealt;
  std::vector<PartState> states = all_states(options, plan);
  base::make_folders(work_folder_of(options.out_folder));
  const std::uint64_t taken = taken_by(states);
  if (taken < plan.shards) {
    throw Error(fmt::format("{} shards are too many: the sources give only {}", plan.shards,
                            base::format_count(taken, "sample")),
                {}, fmt::format("ask for at most {}", base::format_count(taken, "shard")));
  }
  if (whole.recipe.intake.require_uniform) check_uniform(options.place(), states);
  for (std::uint32_t part = 0; part < plan.parts; ++part)
    pipeline::check_logs(part_folder(options.place(), part), states[part]);
  const pipeline::IntakeCounts counts = counts_of(states);
  if (counts.splits.size() > 1) throw pipeline::mixed_splits(counts.splits, options.place());
  pipeline::check_texts(whole.inputs, counts, whole.recipe.intake, reporter);
  pipeline::check_subsets(counts, whole.recipe.intake, reporter);
  reporter.phase("comparing keys");
  check_keys(options.place(), plan);
  check_promises(options, whole, plan);
  auto dealt = deal_evenly(options, whole, plan, std::move(states), reporter);
  const std::string path = held_shards_path(options.out_folder);
  pipeline::write_held_shards(path, plan.id, dealt);
  SharedWork(options, reporter).send(path);
  return dealt;
}

HeldSamples::HeldSamples(const std::string& out_folder, const PartPlan& plan, pipeline::HeldShards&& shards)
    : shards_(std::move(shards)) {
  for (std::uint32_t part = 0; part < plan.parts; ++part) {
    const std::string folder = part_folder(out_folder, part);
    auto state = pipeline::read_part_state(folder);
    if (!state) throw Error("has lost its journal", at(folder));
    paths_.push_back(pipeline::held_path(folder));
    entries_.push_back(std::move(state->mill.held));
  }
}

std::vector<pipeline::HeldShare> HeldSamples::of(const deal::ShardRange& range) const {
  std::vector<pipeline::HeldShare> shares;
  for (std::size_t part = 0; part < paths_.size(); ++part) {
    pipeline::HeldShare share{.path = paths_[part], .placements = {}};
    for (std::size_t i = 0; i < shards_[part].size(); ++i) {
      const std::uint32_t shard = shards_[part][i];
      if (shard < range.first || shard >= range.first + range.count) continue;
      share.placements.push_back({.entry = entries_[part].at(i), .shard = shard - range.first});
    }
    if (!share.placements.empty()) shares.push_back(std::move(share));
  }
  return shares;
}

std::vector<manifest::Reject> broken_promises_of_parts(const std::string& out_folder, const RepackPlan& whole,
                                                       const PartPlan& plan) {
  if (whole.sources.promises.empty()) return {};
  std::vector<std::string> folders;
  for (std::uint32_t part = 0; part < plan.parts; ++part) folders.push_back(part_folder(out_folder, part));
  return pipeline::broken_promises(
      {.promises = whole.sources.promises, .datasets = whole.inputs.datasets, .seed = whole.recipe.seed},
      whole.recipe.intake, folders);
}

}  // namespace shardmill::repack
