#include "pipeline/source_scan.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "pipeline/intake/idle_threads.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/ordered.hpp"

namespace shardmill::pipeline {

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
