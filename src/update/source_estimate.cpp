#include "update/source_estimate.hpp"

#include <algorithm>

#include "pipeline/survey.hpp"

namespace shardmill::update {

std::vector<Expected> expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                                  base::Reporter& reporter) {
  std::vector<Expected> expected(names.size());
  const auto estimates = pipeline::survey(plan.inputs, plan.recipe.intake, reporter).estimates;
  for (std::size_t i = 0; i < plan.inputs.streams.size(); ++i) {
    // Nobody counted the parts of a finished dataset: each of them counts as large as the others.
    const auto& datasets = plan.inputs.streams[i].datasets;
    const auto share = 1.0 / static_cast<double>(std::max<std::size_t>(1, datasets.size()));
    for (const std::uint32_t dataset : datasets) {
      const auto name = std::find(names.begin(), names.end(), plan.inputs.datasets[dataset].name);
      Expected& of_dataset = expected[static_cast<std::size_t>(name - names.begin())];
      of_dataset.samples += share * static_cast<double>(estimates[i].samples);
      of_dataset.seconds += share * static_cast<double>(estimates[i].seconds);
    }
  }
  return expected;
}

std::uint64_t shards_from(const Likeness& like, const std::vector<double>& samples) {
  double shards = -1;
  for (std::size_t d = 0; d < like.counts.size(); ++d) {
    if (like.counts[d] == 0) continue;
    const double filled = samples[d] / like.counts[d];
    shards = shards < 0 ? filled : std::min(shards, filled);
  }
  return shards < 0 ? 0 : static_cast<std::uint64_t>(shards);
}

}  // namespace shardmill::update
