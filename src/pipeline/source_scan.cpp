#include "pipeline/source_scan.hpp"

#include <tbb/parallel_pipeline.h>

#include <memory>
#include <utility>

#include "pipeline/in_flight.hpp"
#include "pipeline/intake/source_reader.hpp"

namespace shardmill::pipeline {

ScanResult scan_source(const source::SourceFile& file, shard::KeyRule rule, Workers& workers,
                       base::Reporter& reporter, const ItemSink& sink) {
  using Token = Unit*;
  using tbb::filter_mode;
  const auto reader = open_source(file);
  SourceParser parser(file, rule);
  InFlight<Unit> in_flight;
  bool at_end = false;

  const auto take = [&](tbb::flow_control& flow) -> Token {
    reporter.check_stop();
    if (at_end) {
      flow.stop();
      return nullptr;
    }
    auto unit = std::make_shared<Unit>(reader->next());
    at_end = unit->last;
    return in_flight.add(std::move(unit));
  };
  const auto prepare = [](Token unit) {
    unit->prepare();
    return unit;
  };
  const auto parse = [&](Token unit) {
    for (SourceItem& item : parser.parse(*unit)) sink(std::move(item));
    reporter.progress().input_bytes += unit->compressed_bytes;
    in_flight.remove(unit);
  };
  workers.run([&] {
    tbb::parallel_pipeline(workers.items_in_flight(reader->unit_bytes()),
                           tbb::make_filter<void, Token>(filter_mode::serial_in_order, take) &
                               tbb::make_filter<Token, Token>(filter_mode::parallel, prepare) &
                               tbb::make_filter<Token, void>(filter_mode::serial_in_order, parse));
  });
  return {.tar_bytes = parser.offset(), .streams = reader->streams()};
}

}  // namespace shardmill::pipeline
