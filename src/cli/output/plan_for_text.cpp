#include "cli/output/plan_for_text.hpp"

#include <fmt/format.h>

#include "base/text/units.hpp"

namespace shardmill::cli {

std::string plan_for_text(const deal::PlanFor& plan, std::uint64_t samples) {
  const std::string who = plan.ranks == 1 ? "one rank" : fmt::format("each of {} ranks", plan.ranks);
  const std::uint64_t of_worker = plan.samples_of_worker(samples);
  const std::string full = of_worker >= plan.batch_samples
                               ? ""
                               : fmt::format("; no batch is full: each worker reads only {}",
                                             base::format_count(of_worker, "sample"));
  return fmt::format("{}: batches of {} take {} on {}, in every epoch{}", name(plan.loader),
                     base::format_count(plan.batch_samples, "sample"),
                     base::format_count(plan.steps(samples), "step"), who, full);
}

std::string kept_plan_text(const deal::PlanFor& plan, const manifest::DatasetRecord& dataset) {
  if (dataset.balance.min_samples != dataset.balance.max_samples)
    return "not the same on all ranks: the shards do not hold the same number of samples";
  if (dataset.shards % plan.multiple_of() != 0)
    return fmt::format("not the same on all ranks: {} are not a multiple of {}, for {} with {} each",
                       base::format_count(dataset.shards, "shard"), plan.multiple_of(),
                       base::format_count(plan.ranks, "rank"), base::format_count(plan.workers, "worker"));
  return plan_for_text(plan, dataset.samples);
}

}  // namespace shardmill::cli
