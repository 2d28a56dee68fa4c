#include "pipeline/read_through.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "deal/shares.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/ordered.hpp"
#include "pipeline/workers.hpp"

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

ScanResult scan_source(const source::SourceFile& file, shard::KeyRule rule, Workers& workers,
                       base::Reporter& reporter, const ItemSink& sink) {
  IdleThreads threads(workers);
  const auto reader = open_source(file, {}, &threads);
  SourceParser parser(file, rule);
  ByteBudget budget(workers.memory_share());
  bool at_end = false;

  const auto take = [&]() -> std::optional<Costly<Unit>> {
    reporter.check_stop();
    if (at_end) return std::nullopt;
    Unit unit = reader->next();
    at_end = unit.last;
    const std::uint64_t bytes = unit.memory_bytes;
    return Costly<Unit>{.item = std::move(unit), .bytes = bytes};
  };
  const auto parse = [&](const Unit& unit) {
    std::vector<SourceItem> items;
    for (bool is_read = false; !is_read;) {
      is_read = parser.parse_some(unit, kUnitBytes, items);  // in steps, because a unit may expand to much
      for (SourceItem& item : items) sink(std::move(item));
      items.clear();
    }
    reporter.progress().input_bytes += unit.compressed_bytes;
  };
  run_ordered<Unit>({.items = workers.items_in_flight(reader->unit_bytes()), .budget = budget}, workers, take,
                    on_all_threads([](const Unit& unit) { unit.prepare(); }), in_order(parse));
  return {.tar_bytes = parser.offset(), .streams = reader->streams()};
}

}  // namespace shardmill::pipeline
