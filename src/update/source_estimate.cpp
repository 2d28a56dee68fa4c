#include "update/source_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "pipeline/survey.hpp"

namespace shardmill::update {

namespace {

struct Amount {
  double samples = 0;
  double seconds = 0;
};

std::vector<Amount> amounts_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                               base::Reporter& reporter) {
  std::vector<Amount> amounts(names.size());
  const auto estimates = pipeline::survey(plan.inputs, plan.recipe.intake, reporter).estimates;
  for (std::size_t i = 0; i < plan.inputs.streams.size(); ++i) {
    // The parts of a finished dataset are not counted: each of them counts as large as the others.
    const auto& datasets = plan.inputs.streams[i].datasets;
    const auto share = 1.0 / static_cast<double>(std::max<std::size_t>(1, datasets.size()));
    for (const std::uint32_t dataset : datasets) {
      const auto name = std::find(names.begin(), names.end(), plan.inputs.datasets[dataset].name);
      Amount& amount = amounts[static_cast<std::size_t>(name - names.begin())];
      amount.samples += share * static_cast<double>(estimates[i].samples);
      amount.seconds += share * static_cast<double>(estimates[i].seconds);
    }
  }
  return amounts;
}

}  // namespace

Expected expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                     double bytes_a_second, base::Reporter& reporter) {
  const std::vector<Amount> amounts = amounts_of(plan, names, reporter);
  Expected expected;
  std::mt19937_64 random(1);
  double seconds = 0;
  for (std::uint32_t dataset = 0; dataset < amounts.size(); ++dataset) {
    const auto samples = std::llround(amounts[dataset].samples);
    if (samples <= 0) continue;
    seconds += amounts[dataset].seconds;
    const double mean_ns = amounts[dataset].seconds / static_cast<double>(samples) * 1e9;
    // From half to one and a half of the mean: samples of one length could not be balanced.
    constexpr std::uint64_t kSteps = 1 << 20;
    for (long long i = 0; i < samples; ++i) {
      const double factor = 0.5 + static_cast<double>(random() % kSteps) / kSteps;
      expected.samples.push_back(
          {.dataset = dataset, .duration = Duration(static_cast<std::int64_t>(mean_ns * factor))});
    }
  }
  expected.bytes = static_cast<std::uint64_t>(seconds * bytes_a_second);
  return expected;
}

}  // namespace shardmill::update
