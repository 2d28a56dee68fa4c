#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {

using ranks::LoaderReport;
using ranks::StepsOfEpochs;
using ranks::StepsReport;

namespace {

std::string steps_range(std::uint64_t fewest, std::uint64_t most) {
  if (fewest == most) return base::format_count(fewest);
  return fmt::format("{} to {}", base::format_count(fewest), base::format_count(most));
}

std::string uneven_text(const StepsOfEpochs& counted, const ranks::RanksOptions& options) {
  const std::size_t uneven = counted.uneven();
  if (uneven == 0) return "no";
  const std::uint64_t spread = counted.epochs[counted.worst()].spread();
  const std::string by = "by " + std::string(uneven > 1 ? "up to " : "") + base::format_count(spread);
  return options.epochs == 0 ? by : fmt::format("{}, in {} of {} epochs", by, uneven, counted.epochs.size());
}

TextRow steps_row(const LoaderReport& loader, const ranks::RanksOptions& options) {
  const StepsOfEpochs& counted = loader.steps->counted;
  return {std::string(name(loader.loader)), steps_range(counted.fewest(), counted.most()),
          uneven_text(counted, options), percent(counted.mean_padding()), percent(counted.mean_idle())};
}

/// How a job can train although its ranks differ in steps.
std::string stop_together(const LoaderReport& loader) {
  const StepsOfEpochs& counted = loader.steps->counted;
  double all = 0;
  double left = 0;
  for (const deal::EpochSteps& epoch : counted.epochs) {
    for (const std::uint64_t steps : epoch.steps) {
      all += static_cast<double>(steps);
      left += static_cast<double>(steps - counted.fewest());
    }
  }
  const bool joins = loader.loader == deal::Loader::wenet || loader.loader == deal::Loader::wenet_old;
  return fmt::format("{}end each epoch after {} on all\n    ranks, which leaves out {} of the batches",
                     joins ? "train inside join, as WeNet does with DDP, or " : "",
                     base::format_count(counted.fewest(), "step"), percent(left / all));
}

std::string better_text(const LoaderReport& loader, const ranks::WorldReport& world,
                        const ranks::RanksSummary& summary) {
  const StepsReport& steps = *loader.steps;
  std::string text = fmt::format("  {}: {}.\n", name(loader.loader), stop_together(loader));
  if (const auto& other = steps.static_batches) {
    text += fmt::format("  {}: batches of {} take {} on each rank, with {} padding and {} waiting.\n",
                        name(loader.loader), base::format_count(other->samples, "sample"),
                        steps_range(other->counted.fewest(), other->counted.most()) + " steps",
                        percent(other->counted.mean_padding()), percent(other->counted.mean_idle()));
  }
  const std::size_t all_workers = world.team.world_size * world.team.workers;
  if (steps.if_even) {
    text += fmt::format("  {}: shards that repack makes with --even leave-out take {} on all ranks.\n",
                        name(loader.loader), base::format_count(*steps.if_even, "step"));
  } else if (summary.batching->by == deal::Batching::By::samples &&
             summary.shards.loads.size() % all_workers != 0) {
    text += fmt::format("  {}: shards that repack makes with --multiple-of {} divide among all workers.\n",
                        name(loader.loader), all_workers);
  }
  return text;
}

/// The shuffles that were tried.
std::string basis_text(const ranks::RanksOptions& options, std::size_t epochs) {
  if (options.epochs == 0) return "without any shuffle";
  return fmt::format("over {} with seeds from {} on (an estimate)", base::format_count(epochs, "epoch"),
                     options.seed);
}

/// What the same job does in epochs after the first if its workers do not stay.
std::string repeated_text(const LoaderReport& loader, const ranks::RanksOptions& options) {
  if (options.epochs < 2 || !deal::repeats_first_order(loader.loader)) return {};
  const deal::EpochSteps& first = loader.steps->counted.epochs.front();
  return fmt::format(
      "  {}: this needs persistent_workers=True. Workers that start again for each epoch read the shards\n"
      "    in the order of the first: then {} on each rank in every epoch.\n",
      name(loader.loader), steps_range(first.fewest(), first.most()) + " steps");
}

}  // namespace

std::string batches_text(const deal::Batching& batching) {
  switch (batching.by) {
    case deal::Batching::By::samples:
      return "batches of " + base::format_count(static_cast<std::uint64_t>(batching.most), "sample");
    case deal::Batching::By::frames:
      return fmt::format("batches of up to {} frames",
                         base::format_count(static_cast<std::uint64_t>(batching.most)));
    case deal::Batching::By::buckets:
      return "batches from " + base::format_count(batching.sizes.size(), "bucket");
    case deal::Batching::By::duration:
      break;
  }
  return fmt::format("batches of up to {} from {}", base::format_audio(batching.most),
                     base::format_count(batching.bins.size() + 1, "bucket"));
}

std::string steps_text(const ranks::WorldReport& world, const ranks::RanksSummary& summary,
                       const ranks::RanksOptions& options) {
  if (!summary.batching) return {};
  std::vector<TextRow> rows{{"loader", "steps of a rank", "ranks differ", "padding", "waiting"}};
  std::string better;
  std::size_t epochs = 0;
  for (const LoaderReport& loader : world.loaders) {
    if (!loader.steps) continue;
    epochs = loader.steps->counted.epochs.size();
    rows.push_back(steps_row(loader, options));
    better += repeated_text(loader, options);
    if (loader.steps->counted.uneven() != 0) better += better_text(loader, world, summary);
  }
  return fmt::format("  steps in {}, {}\n", batches_text(*summary.batching), basis_text(options, epochs)) +
         text_table(rows) + better;
}

}  // namespace shardmill::cli
