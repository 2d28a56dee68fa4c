#include "pipeline/read_through.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "deal/shares.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake/idle_threads.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/ordered.hpp"

namespace shardmill::pipeline {

void read_through(const ReadThrough& how, Workers& workers, base::Reporter& reporter,
                  const std::function<void(const Utterance&)>& take) {
  ByteBudget budget(workers.memory_bytes());
  IdleThreads threads(workers);
  Feed feed(how.inputs.streams, how.interleave, how.intake.key_rule, &threads,
            member_storage(workers.memory_bytes()));
  Intake intake(how.inputs, how.intake, feed, workers.memory_bytes(), reporter);
  const auto next = [&]() -> std::optional<Costly<IntakeBatch>> {
    reporter.check_stop();
    if (intake.has_rest()) return Costly<IntakeBatch>{};
    return intake.next();
  };
  const auto look = [&](IntakeBatch& batch) {
    for (const Measured& measured : batch.measured) {
      const auto* utterance = std::get_if<Utterance>(&measured.outcome);
      if (utterance == nullptr) continue;
      const double weight = how.inputs.datasets[utterance->dataset].weight;
      if (deal::copies(weight, how.seed, utterance->record.source_key) > 0) take(*utterance);
    }
    batch = {};
  };
  do {
    run_ordered<IntakeBatch>(
        {.items = workers.items_in_flight(kUnitBytes), .budget = budget}, workers, next,
        on_all_threads([](IntakeBatch& batch) { Intake::prepare(batch); }),
        in_order([&](IntakeBatch& batch, BudgetShare& share) { intake.parse(batch, share); }),
        on_all_threads([&](IntakeBatch& batch, BudgetShare& share) { intake.measure(batch, share); }),
        in_order(look));
  } while (intake.has_rest());
}

}  // namespace shardmill::pipeline
