#include "pipeline/checkpoint/checkpoint.hpp"

#include <utility>

#include "pipeline/journal.hpp"

namespace shardmill::pipeline {

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
