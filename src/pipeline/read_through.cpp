#include "pipeline/read_through.hpp"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "base/io/file_watch.hpp"
#include "base/text/units.hpp"
#include "deal/dataset_deal.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/ordered.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "shard/tar_input.hpp"

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

namespace {

// What a bzip2 block takes, compressed and plain. Ordinary files have no larger piece.
constexpr std::uint64_t kPieceBytes = 3 << 20;

/// Tells a plain tar from a compressed file whose first bytes are damaged: that looks plain, but no tar
/// begins there.
void check_begins_tar(std::span<const std::byte> first, const std::string& path) {
  if (first.size() >= archive::kTarBlockBytes) {
    const auto block = first.first<archive::kTarBlockBytes>();
    if (archive::is_zero(block) || archive::read_header(block)) return;
  }
  throw Error("is neither a tar nor compressed in a way that is known", Where{.path = path, .offset = 0});
}

}  // namespace

void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing, Ending ending) {
  using PiecePointer = std::unique_ptr<codec::Piece>;
  const base::FileWatch watch(file);
  codec::TrailingSink on_trailing;
  if (trailing == Trailing::ignored) on_trailing = [&](const Error& warning) { reporter.warn(warning); };
  const auto reader = shard::open_tar(file, std::move(on_trailing));
  ByteBudget budget(workers.memory_share());

  bool at_start = true;
  bool wanted = true;
  std::atomic<bool> is_needed = true;
  const auto cut = [&]() -> std::optional<Costly<PiecePointer>> {
    reporter.check_stop();
    auto piece = is_needed ? reader->next() : nullptr;
    if (!piece) return std::nullopt;
    const std::uint64_t bytes = piece->memory_bytes();
    return Costly<PiecePointer>{.item = std::move(piece), .bytes = bytes};
  };
  const auto deliver = [&](const PiecePointer& piece) {
    bool unchecked = std::exchange(at_start, false) && reader->is_plain();
    while (is_needed) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      if (std::exchange(unchecked, false)) check_begins_tar(bytes, file.path());
      if (wanted) wanted = sink(bytes);
      if (!wanted && ending == Ending::at_once) is_needed = false;
    }
    if (is_needed && !wanted && piece->unchecked_bytes() == 0) is_needed = false;
    reporter.progress().input_bytes += piece->compressed_bytes();
  };
  try {
    run_ordered<PiecePointer>({.items = workers.items_in_flight(kPieceBytes), .budget = budget}, workers, cut,
                              on_all_threads([](const PiecePointer& piece) { piece->prepare(); }),
                              in_order(deliver));
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    watch.check();  // a file that somebody is writing looks damaged
    throw;
  }
  if (wanted) watch.check();
  if (at_start) throw Error("is empty: zero bytes", at(file.path()), "an empty file is no shard");
}

}  // namespace shardmill::pipeline
