#include "pipeline/checkpoint/checkpoint.hpp"

#include <utility>

#include "base/io/binary_fields.hpp"
#include "pipeline/journal.hpp"

// The fields in the order in which a journal holds them.

namespace shardmill::deal {

template <base::Either<Holding> Record>
void describe(auto& fields, Record& shard) {
  fields(shard.samples, shard.duration);
}

template <base::Either<DatasetDeal::Seen> Record>
void describe(auto& fields, Record& seen) {
  fields(seen.samples, seen.duration, seen.deviation);
}

template <base::Either<DealerState::Dataset> Record>
void describe(auto& fields, Record& dataset) {
  fields(dataset.shards, dataset.seen, dataset.held, dataset.consumed_bytes, dataset.total_bytes);
}

template <base::Either<HeldSample> Record>
void describe(auto& fields, Record& sample) {
  fields(sample.dataset, sample.duration);
}

template <base::Either<SplitChooser::State> Record>
void describe(auto& fields, Record& state) {
  fields(state.kept, state.has_limit, state.limit.bytes, state.passed);
}

template <base::Either<SplitPools::State> Record>
void describe(auto& fields, Record& state) {
  fields(state.pools);
}

}  // namespace shardmill::deal

namespace shardmill::base {

template <Either<Xxh128> Record>
void describe(auto& fields, Record& hash) {
  fields(hash.bytes);
}

}  // namespace shardmill::base

namespace shardmill::shard {

template <base::Either<ShardTally::Share> Record>
void describe(auto& fields, Record& share) {
  fields(share.samples, share.duration);
}

template <base::Either<ShardTally> Record>
void describe(auto& fields, Record& tally) {
  fields(tally.datasets, tally.with_text, tally.shortest, tally.longest);
}

}  // namespace shardmill::shard

namespace shardmill::pipeline {

template <base::Either<SourceRestart> Record>
void describe(auto& fields, Record& restart) {
  fields(restart.units, restart.piece, restart.unit_offset, restart.sample_offset, restart.shape);
}

template <base::Either<LanePosition> Record>
void describe(auto& fields, Record& position) {
  fields(position.next_file, position.is_open, position.units, position.offset, position.restart,
         position.consumed_bytes, position.late_bytes);
}

template <base::Either<StreamPosition> Record>
void describe(auto& fields, Record& position) {
  fields(position.lanes, position.consumed_bytes);
}

template <base::Either<SpoolState> Record>
void describe(auto& fields, Record& state) {
  fields(state.tar_bytes, state.manifest_bytes, state.tar_hash, state.is_hashed, state.tar_check,
         state.manifest_check);
}

template <base::Either<HeldStore::Entry> Record>
void describe(auto& fields, Record& entry) {
  fields(entry.sample, entry.offset, entry.bytes);
}

template <base::Either<SplitCandidate> Record>
void describe(auto& fields, Record& candidate) {
  fields(candidate.entry, candidate.group.bytes);
}

template <base::Either<SplitState> Record>
void describe(auto& fields, Record& state) {
  fields(state.candidates, state.chooser);
}

template <base::Either<MillState> Record>
void describe(auto& fields, Record& state) {
  fields(state.all_read, state.all_dealt, state.positions, state.dealer.datasets, state.spools, state.tallies,
         state.held, state.held_shards, state.given_back, state.split);
}

void put(base::BinaryWriter& out, const MillState& state) {
  base::put_fields(out, state);
}

MillState read_mill_state(base::BinaryReader& in) {
  return base::read_fields<MillState>(in);
}

Checkpoint::Checkpoint(const CheckpointInterval& interval, const std::string& work_folder,
                       std::string fingerprint, Clock clock)
    : interval_(interval),
      path_(journal_path(work_folder)),
      fingerprint_(std::move(fingerprint)),
      clock_(std::move(clock)),
      begin_(clock_()) {}

bool Checkpoint::is_due() const {
  return bytes_ >= interval_.input_bytes || clock_() - begin_ >= interval_.time;
}

void Checkpoint::write(const SavedRun& run) {
  base::BinaryWriter out;
  put(out, run.mill);
  put(out, run.admission);
  write_journal(path_, {.fingerprint = fingerprint_, .body = out.take()});
  begin_interval();
}

std::optional<SavedRun> Checkpoint::read() const {
  const auto journal = read_journal(path_);
  if (!journal) return std::nullopt;
  base::BinaryReader in(journal->body);
  SavedRun run;
  run.mill = read_mill_state(in);
  run.admission = read_admission_state(in);
  return run;
}

void Checkpoint::begin_interval() {
  bytes_ = 0;
  begin_ = clock_();
}

}  // namespace shardmill::pipeline
