#include "pipeline/intake/intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/intake/memory_use.hpp"
#include "source/corpora.hpp"

namespace shardmill::pipeline {

namespace {

/// Parses a unit whose samples were dealt already, a bounded number of bytes at a time.
void skip(const Unit& unit, SourceParser& parser) {
  std::vector<SourceItem> items;
  while (!parser.parse_some(unit, kUnitBytes, items)) items.clear();
}

}  // namespace

std::optional<Costly<IntakeBatch>> Intake::next() {
  auto item = feed_.next();
  if (!item) return std::nullopt;
  const std::uint64_t needed = needed_for(*item);
  IntakeBatch batch{.source = std::move(item->source),
                    .unit = std::move(item->unit),
                    .consumed_bytes = item->consumed_bytes,
                    .items = {},
                    .measured = {}};
  return Costly<IntakeBatch>{.item = std::move(batch), .bytes = needed};
}

std::uint64_t Intake::needed_for(const UnitFeed::Item& item) const {
  const Unit& unit = item.unit;
  const source::SourceFile& file = file_of(*item.source);
  if (unit.piece) check_piece_memory(unit.memory_bytes, memory_bytes_, file.path);
  if (!unit.segments) return unit.memory_bytes;
  const source::CorpusUtterance& first = unit.segments->utterances().front();
  if (!first.is_whole()) return unit.memory_bytes;
  const std::uint64_t needed = needed_bytes(unit.memory_bytes, options_.form);
  check_memory(needed, memory_bytes_, file.path, std::string(first.key));
  return needed;
}

void Intake::parse(IntakeBatch& batch, BudgetShare& share) {
  if (batch.source) {
    waiting_.push_back({.source = std::move(batch.source),
                        .unit = std::move(batch.unit),
                        .consumed_bytes = batch.consumed_bytes,
                        .share = share.split_all()});
    batch.source.reset();
  }
  if (!parsed_) parsed_ = take_items();
  // What is on its way gives its memory back whatever happens here, so this wait ends.
  const bool waits =
      parsed_ && parsed_->is_stored && on_its_way_.used_bytes() > 0 && !share.has_room(parsed_->needed_bytes);
  if (parsed_ && !waits) {
    share.resize(parsed_->needed_bytes);
    batch = std::move(parsed_->batch);
    batch.on_its_way = BudgetShare(on_its_way_, parsed_->needed_bytes);
    parsed_.reset();
  }
  has_rest_ = parsed_ || !waiting_.empty();
}

std::optional<Intake::Parsed> Intake::take_items() {
  if (waiting_.empty()) return std::nullopt;
  Waiting& first = waiting_.front();
  Parsed parsed{.batch = {.source = first.source,
                          .unit = {},
                          .consumed_bytes = first.consumed_bytes,
                          .items = {},
                          .file = {.number = {.stream = first.source->stream, .file = first.source->file}},
                          .measured = {}}};
  if (first.source->parser.parse_some(first.unit, kUnitBytes, parsed.batch.items)) {
    reporter_.progress().input_bytes += first.unit.compressed_bytes;
    if (windows_ != nullptr)
      windows_->change(first.source->window, first.unit.piece ? first.unit.piece->window() : codec::Window{});
    parsed.batch.file.unchecked_from = first.unit.unchecked_from;
    if (first.unit.piece) parsed.batch.file.unchecked_from = first.source->parser.unchecked_from();
    parsed.batch.file.is_read = first.unit.last;
    waiting_.pop_front();
  }
  check_coming(*parsed.batch.source);
  count_memory(parsed);
  return parsed;
}

/// A sample that is too large is refused before it is read.
void Intake::check_coming(const OpenSource& source) const {
  const auto coming = source.parser.coming();
  if (!coming) return;
  check_memory(needed_bytes(*coming, options_.form), memory_bytes_, file_of(source).path, coming->key);
}

void Intake::count_memory(Parsed& parsed) const {
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  for (const SourceItem& item : parsed.batch.items) {
    const auto* sample = std::get_if<shard::GroupedSample>(&item);
    if (sample == nullptr) continue;
    parsed.is_stored = parsed.is_stored || sample->stored;
    for (const Member& member : sample->sample.members) bytes += sample->bytes_of(member);
    const std::uint64_t needed = needed_bytes(*sample, options_.form);
    check_memory(needed, memory_bytes_, file_of(*parsed.batch.source).path, sample->sample.key);
    largest = std::max(largest, needed);
  }
  // The samples are measured one after the other, so only one at a time takes more than its bytes.
  parsed.needed_bytes = std::max(bytes, largest);
}

void Intake::measure(IntakeBatch& batch, BudgetShare& share) const {
  if (!batch.source) return;
  const InputStream& stream = inputs_.streams[batch.source->stream];
  const source::SourceFile& file = file_of(*batch.source);
  const std::string corpus = file.tree ? file.tree->corpus : file.corpus ? file.corpus->name : std::string();
  const Origin origin{.dataset = stream.datasets.front(),
                      .dataset_name = stream.name,
                      .source = file.path,
                      .is_tar = file.kind == source::SourceKind::shard,
                      .given = file.given,
                      .is_published = !corpus.empty() || file.parquet,
                      .is_text_told_late = file.tree != nullptr || !options_.tables.empty(),
                      .teller = source::fact_teller(corpus),
                      .is_listed = file.listing != nullptr || (file.only_listed && !file.utterances.empty())};
  // Audio may grow or shrink on its way to the form that is wanted.
  std::uint64_t bytes = 0;
  for (SourceItem& item : batch.items) {
    SourceItem taken = std::move(item);  // freed at once, so that no batch is in memory twice
    std::uint64_t end_offset = 0;
    std::optional<manifest::Reject::ByteRange> doubtful;
    if (auto* sample = std::get_if<shard::GroupedSample>(&taken)) {
      sample->load();
      if (origin.is_tar && !sample->sample.members.empty()) {
        const Member& last = sample->sample.members.back();
        end_offset = last.tar_offset + last.bytes.size();
      }
    } else if (const auto* damage = std::get_if<Damage>(&taken)) {
      doubtful = damage->doubtful;
    }
    auto measured = pipeline::measure(std::move(taken), origin, options_);
    if (!measured) continue;
    measured->end_offset = end_offset;
    measured->doubtful = doubtful;
    if (auto* utterance = std::get_if<Utterance>(&measured->outcome)) {
      utterance->dataset = dataset_of(*utterance, stream);
      bytes += utterance->packed.bytes.size();
    }
    batch.measured.push_back(std::move(*measured));
  }
  batch.items.clear();
  share.resize(bytes);
}

/// The number of the dataset with this name, which was checked when the finished dataset was opened.
std::uint32_t Intake::dataset_of(const Utterance& utterance, const InputStream& stream) const {
  const auto found = std::find_if(stream.datasets.begin(), stream.datasets.end(), [&](std::uint32_t number) {
    return inputs_.datasets[number].name == utterance.record.dataset;
  });
  if (found == stream.datasets.end()) {
    throw Error(fmt::format("holds samples of a dataset '{}' that its dataset.json does not name",
                            printable(utterance.record.dataset)),
                at(utterance.record.source));
  }
  return *found;
}

void Intake::restore(const std::vector<StreamPosition>& positions, Workers& workers) {
  const std::vector<ReopenedSource> reopened = feed_.restore(positions);
  workers.for_each(reopened.size(), [&](std::size_t i) { read_again(reopened[i], workers); });
}

// Brings the reader and the parser of a source to where they were. The samples on the way were dealt already.
void Intake::read_again(const ReopenedSource& reopened, Workers& workers) const {
  const LanePosition& position = reopened.position;
  OpenSource& source = *reopened.source;
  ByteBudget budget(workers.memory_share());
  std::uint64_t taken = position.restart.units;
  const auto take = [&]() -> std::optional<Costly<Unit>> {
    reporter_.check_stop();
    if (taken == position.units) return std::nullopt;
    ++taken;
    Unit unit = source.reader->next();
    const std::uint64_t bytes = unit.memory_bytes;
    return Costly<Unit>{.item = std::move(unit), .bytes = bytes};
  };
  run_ordered<Unit>({.items = workers.items_in_flight(kUnitBytes), .budget = budget}, workers, take,
                    on_all_threads([](const Unit& unit) { unit.prepare(); }),
                    in_order([&](const Unit& unit) { skip(unit, source.parser); }));
  if (source.parser.offset() != position.offset || source.parser.restart() != position.restart) {
    throw Error("has changed since the run began", at(file_of(source).path), Remedy::start_over);
  }
}

}  // namespace shardmill::pipeline
