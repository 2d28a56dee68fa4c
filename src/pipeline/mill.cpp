#include "pipeline/mill.hpp"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <utility>

#include "archive/tar_header.hpp"
#include "base/text/units.hpp"
#include "pipeline/checkpoint/mill_state.hpp"
#include "pipeline/intake/sample_memory.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/text_check.hpp"

namespace shardmill::pipeline {

/// An utterance that has its place and is still to be written there.
struct PlacedUtterance {
  Utterance utterance;
  std::optional<HeldStore::Entry> held;  // none: it goes to its shard
};

/// One unit of input on its way through the stages.
struct Mill::Batch {
  std::shared_ptr<OpenSource> source;
  Unit unit;
  std::uint64_t consumed_bytes = 0;
  BudgetShare share;
  std::vector<SourceItem> items;
  std::vector<Measured> measured;
  std::vector<PlacedUtterance> placed;
  const HeldPlacement* placement = nullptr;  // of what was held back
};

Mill::Mill(const MillPlan& plan, Workers& workers, base::Reporter& reporter)
    : plan_(plan),
      workers_(workers),
      reporter_(reporter),
      feed_(plan.inputs.streams, plan.intake.key_rule),
      admission_(plan.inputs, plan.intake, plan.seed, plan.shards,
                 plan.part ? plan.part->allowances : deal::Allowances{}, plan.work_folder, plan.claims.get(),
                 reporter),
      budget_(workers.memory_bytes()),
      spools_(plan.work_folder + "/spool", plan.shards, plan.hash_tars, workers),
      held_(held_path(plan.work_folder)),
      tallies_(plan.shards),
      checkpoint_time_(std::chrono::steady_clock::now()) {
  for (ShardTally& tally : tallies_) tally.datasets.resize(plan.inputs.datasets.size());
}

Mill::~Mill() = default;

void Mill::run() {
  if (!resumed_) {
    for (const source::Unusable& unusable : plan_.unusable) {
      admission_.leave_out(reject_of(unusable, plan_.intake.keys));
    }
  }
  while (!all_dealt_ && !feed_.done() && !admission_.full()) {
    read_epoch();
    if (waiting_) continue;
    if (checkpoint_due() || reporter_.stop_signal() != 0) checkpoint();
    reporter_.check_stop();
  }
  if (plan_.part) return checkpoint();
  if (admission_.counts().taken == 0) throw no_samples_left();
  if (admission_.counts().taken < plan_.shards) {
    throw Error(fmt::format("{} shards were asked for, but the sources give only {}", plan_.shards,
                            base::format_count(admission_.counts().taken, "sample")),
                {}, "ask for fewer shards");
  }
  check_texts(plan_.inputs, admission_.counts().texts, plan_.intake);
  if (!all_dealt_) deal_rest();
  end_tars();
}

Error Mill::no_samples_left() const {
  std::string reasons;
  for (const auto& [reason, count] : admission_.counts().left_out) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
  }
  return Error(reasons.empty() ? "the sources hold no samples" : "all samples were left out: " + reasons);
}

// One stretch of the input, from one moment at which nothing is in flight to the next.
void Mill::read_epoch() {
  const auto take = [this](tbb::flow_control& flow) {
    Token batch = take_in();
    if (!batch) flow.stop();
    return batch;
  };
  const auto stage = [this](auto method) {
    return [this, method](Token batch) {
      (this->*method)(*batch);
      return batch;
    };
  };
  const auto prepare = [](Token batch) {
    batch->unit.prepare();
    return batch;
  };
  const auto write = [this](Token batch) {
    write_all(*batch);
    in_flight_.remove(batch);
  };
  using tbb::filter_mode;
  workers_.run([&] {
    tbb::parallel_pipeline(
        workers_.items_in_flight(kUnitBytes),
        tbb::make_filter<void, Token>(filter_mode::serial_in_order, take) &
            tbb::make_filter<Token, Token>(filter_mode::parallel, prepare) &
            tbb::make_filter<Token, Token>(filter_mode::serial_in_order, stage(&Mill::parse)) &
            tbb::make_filter<Token, Token>(filter_mode::parallel, stage(&Mill::measure_all)) &
            tbb::make_filter<Token, Token>(filter_mode::serial_in_order, stage(&Mill::admit_all)) &
            tbb::make_filter<Token, void>(filter_mode::parallel, write));
  });
}

Mill::Token Mill::take_in() {
  if (!waiting_) {
    if (reporter_.stop_signal() != 0 || admission_.full() || checkpoint_due() ||
        !budget_.has_room(kUnitBytes)) {
      return nullptr;
    }
    waiting_ = feed_.next();
    if (!waiting_) return nullptr;
  }
  const std::uint64_t needed = needed_for(*waiting_);
  if (!budget_.has_room(needed)) return nullptr;
  std::optional<Feed::Item> item = std::exchange(waiting_, std::nullopt);
  auto batch = std::make_shared<Batch>();
  batch->source = std::move(item->source);
  batch->unit = std::move(item->unit);
  batch->consumed_bytes = item->consumed_bytes;
  batch->share = BudgetShare(budget_, needed);
  bytes_since_checkpoint_ += batch->unit.compressed_bytes;
  return in_flight_.add(std::move(batch));
}

// Throws Error when the unit is a recording, not cut, that needs more memory than there is.
std::uint64_t Mill::needed_for(const Feed::Item& item) const {
  const Unit& unit = item.unit;
  if (!unit.recording) return unit.memory_bytes;
  const source::SourceFile& file = plan_.inputs.streams[item.source->stream].files[item.source->file];
  if (!file.utterances.front().is_whole()) return unit.memory_bytes;
  const std::uint64_t needed = needed_bytes(unit.memory_bytes, plan_.intake.form);
  check_memory(needed, workers_.memory_bytes(), file.path, std::string(file.utterances.front().key));
  return needed;
}

void Mill::parse(Batch& batch) {
  OpenSource& source = *batch.source;
  batch.items = source.parser.parse(batch.unit);
  reporter_.progress().input_bytes += batch.unit.compressed_bytes;
  batch.unit = Unit{};
  std::uint64_t bytes = 0;
  std::uint64_t largest = 0;
  for (const SourceItem& item : batch.items) {
    if (const auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      for (const Member& member : sample->sample.members) bytes += member.bytes.size();
      const std::uint64_t needed = needed_bytes(*sample, plan_.intake.form);
      check_memory(needed, workers_.memory_bytes(),
                   plan_.inputs.streams[source.stream].files[source.file].path, sample->sample.key);
      largest = std::max(largest, needed);
    }
  }
  // One after the other the samples take more than their bytes.
  batch.share.resize(std::max(bytes, largest));
}

void Mill::measure_all(Batch& batch) {
  const OpenSource& source = *batch.source;
  const InputStream& stream = plan_.inputs.streams[source.stream];
  const source::SourceFile& file = stream.files[source.file];
  const Origin origin{.dataset = stream.datasets.front(),
                      .dataset_name = stream.name,
                      .source = file.path,
                      .is_tar = file.kind == source::SourceKind::shard,
                      .given = file.given,
                      .is_listed = file.listing != nullptr || (file.only_listed && !file.utterances.empty())};
  for (SourceItem& item : batch.items) {
    SourceItem taken = std::move(item);  // goes at once: no batch is held twice over
    auto measured = measure(std::move(taken), origin, plan_.intake);
    if (!measured) continue;
    if (auto* utterance = std::get_if<Utterance>(&measured->outcome))
      utterance->dataset = dataset_of(*utterance, stream);
    batch.measured.push_back(std::move(*measured));
  }
  batch.items.clear();
  // Audio may have grown or shrunk on its way to the form wanted.
  std::uint64_t bytes = 0;
  for (const Measured& measured : batch.measured) {
    if (const auto* utterance = std::get_if<Utterance>(&measured.outcome))
      bytes += utterance->packed.bytes.size();
  }
  batch.share.resize(bytes);
}

/// By its name, which the reading of finished datasets has checked.
std::uint32_t Mill::dataset_of(const Utterance& utterance, const InputStream& stream) const {
  const auto found = std::find_if(stream.datasets.begin(), stream.datasets.end(), [&](std::uint32_t number) {
    return plan_.inputs.datasets[number].name == utterance.record.dataset;
  });
  if (found == stream.datasets.end()) {
    throw Error(fmt::format("holds samples of a dataset '{}' that its dataset.json does not name",
                            printable(utterance.record.dataset)),
                at(utterance.record.source));
  }
  return *found;
}

void Mill::admit_all(Batch& batch) {
  admission_.progress(batch.source->stream, batch.consumed_bytes);
  std::vector<Admission::Decision> decisions;
  for (Measured& measured : batch.measured) {
    admission_.admit(std::move(measured), decisions);
    for (Admission::Decision& decision : decisions) place(std::move(decision), batch);
    decisions.clear();
  }
  batch.measured.clear();
}

void Mill::place(Admission::Decision&& decision, Batch& batch) {
  PlacedUtterance placed{.utterance = std::move(decision.utterance), .held = std::nullopt};
  Utterance& utterance = placed.utterance;
  const auto duration = duration_of(utterance.record.audio);
  if (!decision.shard) {
    const std::size_t number =
        held_.reserve({.dataset = utterance.dataset, .duration = duration}, serialised_bytes(utterance));
    placed.held = held_.entries()[number];
  } else {
    utterance.record.shard_id = first_shard() + *decision.shard;
    const std::uint64_t offset = spools_.reserve(*decision.shard, utterance.packed.bytes.size());
    utterance.record.tar_offset = offset + utterance.packed.audio_offset;
    tallies_[*decision.shard].add(utterance.dataset, duration, utterance.has_text);
  }
  batch.placed.push_back(std::move(placed));
}

void Mill::write_all(Batch& batch) {
  for (PlacedUtterance& placed : batch.placed) {
    Utterance& utterance = placed.utterance;
    reporter_.progress().output_bytes += utterance.packed.bytes.size();
    if (placed.held) {
      base::BinaryWriter out;
      put(out, utterance);
      held_.write(*placed.held, out.bytes());
      continue;
    }
    std::string line;
    append_line(line, utterance.record);
    const std::uint64_t offset = utterance.record.tar_offset - utterance.packed.audio_offset;
    BudgetShare share = batch.share.split(utterance.packed.bytes.size());
    spools_.append(static_cast<std::uint32_t>(utterance.record.shard_id) - first_shard(), offset,
                   std::move(utterance.packed.bytes), std::move(line), std::move(share));
  }
}

// The end of the deal.
void Mill::deal_rest() {
  reporter_.phase("dealing the rest");
  std::vector<deal::HeldSample> samples;
  samples.reserve(held_.entries().size());
  for (const HeldStore::Entry& entry : held_.entries()) samples.push_back(entry.sample);
  const std::vector<std::uint32_t> shards = admission_.dealer().deal_rest(samples);
  std::vector<HeldPlacement> placements;
  placements.reserve(shards.size());
  for (std::size_t i = 0; i < shards.size(); ++i)
    placements.push_back({.entry = held_.entries()[i], .shard = shards[i]});
  place_held(held_, placements);
  all_dealt_ = true;
  checkpoint();
}

void Mill::complete(const std::vector<HeldShare>& shares) {
  if (!all_dealt_) {
    for (const HeldShare& share : shares) place_held(HeldStore::open_read(share.path), share.placements);
    all_dealt_ = true;
    checkpoint();
  }
  end_tars();
}

// What was held back is read from the scratch files, in the order in which it came.
void Mill::place_held(const HeldStore& store, const std::vector<HeldPlacement>& placements) {
  std::size_t next = 0;
  const auto take = [&](tbb::flow_control& flow) -> Token {
    reporter_.check_stop();
    // As it is read, and as it is taken apart.
    const std::uint64_t needed = next == placements.size() ? 0 : 2 * placements[next].entry.bytes;
    if (next == placements.size() || !budget_.has_room(needed)) {
      flow.stop();
      return nullptr;
    }
    const HeldPlacement& placement = placements[next++];
    auto batch = std::make_shared<Batch>();
    batch->share = BudgetShare(budget_, needed);
    batch->placement = &placement;
    return in_flight_.add(std::move(batch));
  };
  const auto fetch = [&](Token batch) {
    batch->placed.push_back({.utterance = store.read(batch->placement->entry), .held = std::nullopt});
    return batch;
  };
  const auto place_again = [&](Token batch) {
    Admission::Decision decision{.utterance = std::move(batch->placed.back().utterance),
                                 .shard = batch->placement->shard};
    batch->placed.clear();
    place(std::move(decision), *batch);
    return batch;
  };
  const auto write = [this](Token batch) {
    write_all(*batch);
    in_flight_.remove(batch);
  };
  using tbb::filter_mode;
  const auto place_some = [&] {
    tbb::parallel_pipeline(workers_.items_in_flight(kUnitBytes),
                           tbb::make_filter<void, Token>(filter_mode::serial_in_order, take) &
                               tbb::make_filter<Token, Token>(filter_mode::parallel, fetch) &
                               tbb::make_filter<Token, Token>(filter_mode::serial_in_order, place_again) &
                               tbb::make_filter<Token, void>(filter_mode::parallel, write));
  };
  while (next < placements.size()) workers_.run(place_some);  // until memory is full
}

// Idempotent: a resumed run finds all_dealt_ in the journal and spools cut back to before their end blocks.
void Mill::end_tars() {
  const auto end_one = [this](std::size_t index) {
    const auto shard = static_cast<std::uint32_t>(index);
    if (spools_.is_packed(shard)) {
      spools_.skip(shard, archive::kTarEndBytes);
      return;
    }
    Bytes end;
    archive::append_end(end);
    const std::uint64_t offset = spools_.reserve(shard, end.size());
    spools_.append(shard, offset, std::move(end), {}, {});
  };
  workers_.for_each(plan_.shards, end_one);
  spools_.sync();
}

bool Mill::checkpoint_due() const {
  return bytes_since_checkpoint_ >= plan_.checkpoints.input_bytes ||
         std::chrono::steady_clock::now() - checkpoint_time_ >= plan_.checkpoints.time;
}

void Mill::checkpoint() {
  admission_.sync();
  spools_.sync();
  // What is held back is read again until it is dealt, that of a part by the other parts, too.
  const bool is_held_needed = !all_dealt_ || plan_.part;
  if (is_held_needed) held_.sync();
  base::BinaryWriter out;
  put(out, MillState{.all_read = all_dealt_ || feed_.done() || admission_.full(),
                     .all_dealt = all_dealt_,
                     .positions = feed_.positions(),
                     .spools = spools_.states(),
                     .tallies = tallies_,
                     .held = is_held_needed ? held_.entries() : std::vector<HeldStore::Entry>{}});
  admission_.save(out);
  write_journal(journal_path(plan_.work_folder), {.fingerprint = plan_.fingerprint, .body = out.take()});
  bytes_since_checkpoint_ = 0;
  checkpoint_time_ = std::chrono::steady_clock::now();
}

bool Mill::resume() {
  const auto journal = read_journal(journal_path(plan_.work_folder));
  if (!journal) return false;
  base::BinaryReader in(journal->body);
  MillState state = read_mill_state(in);
  admission_.restore(in);
  all_dealt_ = state.all_dealt;
  reporter_.phase("checking what the last run left");
  spools_.restore(state.spools, [this] { reporter_.check_stop(); });
  tallies_ = std::move(state.tallies);
  held_.restore(std::move(state.held));
  for (std::size_t stream = 0; stream < state.positions.size(); ++stream) {
    const std::uint64_t consumed = state.positions[stream].consumed_bytes;
    admission_.restore_progress(static_cast<std::uint32_t>(stream), consumed);
    reporter_.progress().input_bytes += consumed;
  }
  reporter_.phase("going on where the last run stopped");
  for (const auto& source : feed_.restore(state.positions)) {
    read_again(*source, state.positions[source->stream]);
  }
  reporter_.phase("");
  resumed_ = true;
  checkpoint_time_ = std::chrono::steady_clock::now();
  return true;
}

// Brings reader and parser of a source to where they were; what comes out on the way was dealt already.
void Mill::read_again(OpenSource& source, const StreamPosition& position) {
  using UnitToken = Unit*;
  InFlight<Unit> in_flight;
  std::uint64_t taken = position.restart.units;
  const auto take = [&](tbb::flow_control& flow) -> UnitToken {
    reporter_.check_stop();
    if (taken == position.units) {
      flow.stop();
      return nullptr;
    }
    ++taken;
    return in_flight.add(std::make_shared<Unit>(source.reader->next()));
  };
  const auto prepare = [](UnitToken unit) {
    unit->prepare();
    return unit;
  };
  const auto parse = [&](UnitToken unit) {
    source.parser.parse(*unit);
    in_flight.remove(unit);
  };
  using tbb::filter_mode;
  workers_.run([&] {
    tbb::parallel_pipeline(workers_.items_in_flight(kUnitBytes),
                           tbb::make_filter<void, UnitToken>(filter_mode::serial_in_order, take) &
                               tbb::make_filter<UnitToken, UnitToken>(filter_mode::parallel, prepare) &
                               tbb::make_filter<UnitToken, void>(filter_mode::serial_in_order, parse));
  });
  if (source.parser.offset() != position.offset || source.parser.restart() != position.restart) {
    throw Error("has changed since the run began",
                at(plan_.inputs.streams[source.stream].files[source.file].path), "start over with --force");
  }
}

}  // namespace shardmill::pipeline
