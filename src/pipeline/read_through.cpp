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
            Trailing trailing) {
  using PiecePointer = std::unique_ptr<codec::Piece>;
  const base::FileWatch watch(file);
  codec::TrailingSink on_trailing;
  if (trailing == Trailing::ignored) on_trailing = [&](const Error& warning) { reporter.warn(warning); };
  const auto reader = shard::open_tar(file, std::move(on_trailing));
  ByteBudget budget(workers.memory_share());

  bool at_start = true;
  std::atomic<bool> wanted = true;
  const auto cut = [&]() -> std::optional<Costly<PiecePointer>> {
    reporter.check_stop();
    auto piece = wanted ? reader->next() : nullptr;
    if (!piece) return std::nullopt;
    const std::uint64_t bytes = piece->memory_bytes();
    return Costly<PiecePointer>{.item = std::move(piece), .bytes = bytes};
  };
  const auto deliver = [&](const PiecePointer& piece) {
    bool unchecked = std::exchange(at_start, false) && reader->is_plain();
    while (wanted) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      if (std::exchange(unchecked, false)) check_begins_tar(bytes, file.path());
      wanted = sink(bytes);
    }
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

namespace {

/// Calls back for each utterance of a raw corpus that is wanted, with the key that it would get. Of shards,
/// some that are listed may not be there.
template <typename Use>
void for_each_key(const Inputs& inputs, const IntakeOptions& options, const Use& use) {
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.kind == source::SourceKind::shard) continue;
      for (const source::CorpusUtterance& utterance : file.utterances) {
        if (options.keys.wants(utterance.key))
          use(stream, file, written_key(stream.name, utterance.key, options));
      }
    }
  }
}

struct Repeated {
  std::uint64_t keys = 0;
  bool is_in_one = false;  // the example is twice in one dataset, where there is such a key
  std::string key{};       // an example
  std::string dataset{};   // of it, the second time
  std::string path{};
};

Repeated find_repeated(const Inputs& inputs, const IntakeOptions& options) {
  Repeated repeated;
  shard::KeySet seen;
  shard::KeySet seen_in_datasets;
  for_each_key(inputs, options,
               [&](const InputStream& stream, const source::SourceFile& file, const std::string& key) {
                 const bool is_in_one = !seen_in_datasets.insert(fmt::format("{}/{}", stream.name, key));
                 if (seen.insert(key)) return;
                 if (++repeated.keys > 1 && (repeated.is_in_one || !is_in_one)) return;
                 repeated.is_in_one = is_in_one;
                 repeated.key = key;
                 repeated.dataset = stream.name;
                 repeated.path = file.path;
               });
  return repeated;
}

/// Where the repeated key is: "in the datasets 'a' and 'b'".
std::string places_of(const Repeated& repeated, const Inputs& inputs, const IntakeOptions& options) {
  std::string first;
  for_each_key(inputs, options,
               [&](const InputStream& stream, const source::SourceFile&, const std::string& key) {
                 if (first.empty() && key == repeated.key) first = stream.name;
               });
  return repeated.is_in_one ? fmt::format("twice in the dataset '{}'", repeated.dataset)
                            : fmt::format("in the datasets '{}' and '{}'", first, repeated.dataset);
}

/// Whether a filter may leave out samples, which only shows when they are read.
bool may_leave_out(const IntakeOptions& options) {
  return is_any_set(options.filters) || options.on_error == OnError::skip || options.limit != 0 ||
         options.on_duplicate_audio == OnDuplicateAudio::first;
}

}  // namespace

void check_keys(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter) {
  if (options.on_duplicate != OnDuplicate::stop) return;
  for (const DatasetInput& dataset : inputs.datasets) {
    if (dataset.weight < 1) return;  // takes some of its samples
  }
  const Repeated repeated = find_repeated(inputs, options);
  if (repeated.keys == 0) return;
  const std::string others = repeated.keys == 1
                                 ? ""
                                 : fmt::format("; the sources have {} more than once",
                                               base::format_count(repeated.keys - 1, "other key"));
  const bool is_certain = !may_leave_out(options);
  const Error error(
      fmt::format("the key '{}' is {}{}{}", printable(repeated.key), places_of(repeated, inputs, options),
                  others, is_certain ? "" : "; the run stops at the second of them, unless one is left out"),
      at(repeated.path), repeated.is_in_one || options.prefixes_keys ? kPrefixIsNoHelp : "",
      Remedy::choose_duplicate);
  if (is_certain) throw error;
  reporter.warn(error);
}

}  // namespace shardmill::pipeline
