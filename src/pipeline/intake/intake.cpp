#include "pipeline/intake/intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
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
  const Origin origin{
      .dataset = stream.datasets.front(),
      .dataset_name = stream.name,
      .source = file.path,
      .is_tar = file.kind == source::SourceKind::shard,
      .given = file.given,
      .is_published = !corpus.empty() || file.parquet,
      .is_text_told_late = file.tree != nullptr || may_have_texts(options_.tables, stream.name),
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
    for (Measured& measured : pipeline::measure(std::move(taken), origin, options_)) {
      measured.end_offset = end_offset;
      measured.doubtful = doubtful;
      if (auto* utterance = std::get_if<Utterance>(&measured.outcome)) {
        utterance->dataset = dataset_of(*utterance, stream);
        bytes += utterance->packed.bytes.size();
      }
      batch.measured.push_back(std::move(measured));
    }
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

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// The program takes this much in any case, so a smaller bound is treated like this one.
constexpr std::uint64_t kLeastBytes = 16 * kMiB;
constexpr std::uint64_t kCopies = 2;
constexpr std::uint64_t kCopiesInAnotherForm = 4;
constexpr std::uint64_t kFurtherCopiesOfChannels = 2;  // of the audio, before and after conversion
constexpr std::uint64_t kFurtherCopiesOfText = 6;

}  // namespace

std::uint64_t needed_bytes(std::uint64_t bytes, const audio::WantedForm& form) {
  const std::uint64_t further = form.splits_channels ? kFurtherCopiesOfChannels : 0;
  return (further + (form.decodes() ? kCopiesInAnotherForm : kCopies)) * bytes;
}

std::uint64_t needed_bytes(const shard::GroupedSample& sample, const audio::WantedForm& form) {
  std::uint64_t text = sample.facts.size();
  std::uint64_t all = 0;
  for (const Member& member : sample.sample.members) {
    all += sample.bytes_of(member);
    if (member.extension == "txt") text += sample.bytes_of(member);
  }
  return needed_bytes(all, form) + kFurtherCopiesOfText * text;
}

std::uint64_t needed_bytes(const shard::ComingSample& sample, const audio::WantedForm& form) {
  return needed_bytes(sample.bytes, form) + kFurtherCopiesOfText * sample.text_bytes;
}

std::string enough_memory(std::uint64_t bytes) {
  const std::uint64_t mib = std::bit_ceil((bytes + kMiB - 1) / kMiB);
  return mib < 1024 ? fmt::format("{}MiB", mib) : fmt::format("{}GiB", mib / 1024);
}

void check_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path,
                  const std::string& key) {
  if (needed <= std::max(memory_bytes, kLeastBytes)) return;
  throw Error(fmt::format("this sample takes about {} of memory, and {} are allowed",
                          base::format_size(needed), base::format_size(memory_bytes)),
              {.path = path, .member = key}, enough_memory(needed) + " will do", Remedy::more_memory);
}

void check_piece_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path) {
  if (needed <= std::max(memory_bytes, kLeastBytes)) return;
  throw Error(
      fmt::format("a part of it that is decoded as a whole takes about {} of memory, and {} are allowed",
                  base::format_size(needed), base::format_size(memory_bytes)),
      at(path), enough_memory(needed) + " will do", Remedy::more_memory);
}

namespace {

// The program takes about as much in any case, so small windows are never too much.
constexpr std::uint64_t kNeverTooMuchBytes = 32 << 20;

/// What windows may take of a bound that was given. The rest is for the samples in flight.
std::uint64_t most_bytes(std::uint64_t memory_bytes) {
  return std::max(memory_bytes / 4 * 3, kNeverTooMuchBytes);
}

}  // namespace

void OpenWindows::change(codec::Window& window, const codec::Window& now) {
  if (window == now) return;
  all_.bytes += now.bytes - window.bytes;
  all_.full_bytes += now.full_bytes - window.full_bytes;
  open_ += (now.full_bytes > 0 ? 1 : 0);
  open_ -= (window.full_bytes > 0 ? 1 : 0);
  largest_full_bytes_ = std::max(largest_full_bytes_, now.full_bytes);
  window = now;
  check();
  // With the standard bound, half of it stays for the samples, so that all threads have work.
  share_.resize(bound_ == MemoryBound::given ? all_.bytes : std::min(all_.bytes, memory_bytes_ / 2));
}

void OpenWindows::check() {
  const bool is_given = bound_ == MemoryBound::given;
  if (all_.bytes <= (is_given ? most_bytes(memory_bytes_) : memory_bytes_)) return;
  if (!is_given && has_warned_) return;
  const std::size_t files =
      most_bytes(memory_bytes_) / largest_full_bytes_ / std::max<std::size_t>(1, streams_);
  std::string advice = enough_memory(all_.full_bytes / 3 * 4) + " will do";
  if (files > 0) advice += fmt::format(", or at most {} at a time", base::format_count(files, "file"));
  const Error error(
      fmt::format(
          "the decoders of {} take {} of memory{}", base::format_count(open_, "open file"),
          base::format_size(all_.full_bytes),
          is_given ? fmt::format("; {} are allowed for everything", base::format_size(memory_bytes_)) : ""),
      {}, advice, files > 0 ? Remedy::fewer_open_files : Remedy::more_memory);
  if (is_given) throw error;
  reporter_.warn(error);
  has_warned_ = true;
}

}  // namespace shardmill::pipeline
