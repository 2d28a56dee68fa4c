#include "repack/plan_summary.hpp"

#include "repack/finish.hpp"
#include "repack/planned_bytes.hpp"

namespace shardmill::repack {

RepackSummary summary_of_plan(const RepackPlan& plan, unsigned threads) {
  RepackSummary summary{.outcome = RepackSummary::Outcome::planned,
                        .estimate = plan.estimate,
                        .input_bytes = input_bytes(plan),
                        .planned_shards = plan.shards,
                        .needed_bytes = planned_bytes(plan, threads),
                        .planned_extensions = plan.audio_extensions};
  for (std::size_t i = 0; i < plan.dataset_seconds.size(); ++i) {
    const auto& [name, weight] = plan.inputs.datasets[i];
    summary.planned_datasets.push_back({.name = name, .seconds = plan.dataset_seconds[i], .weight = weight});
  }
  return summary;
}

}  // namespace shardmill::repack
