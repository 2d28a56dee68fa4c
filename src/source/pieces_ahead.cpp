#include "source/pieces_ahead.hpp"

#include <algorithm>
#include <utility>

#include "codec/file_facts.hpp"

namespace shardmill::source {

namespace {

/// Pieces of other codecs depend on those before them.
bool is_parallel(const base::File& file) {
  const codec::Codec codec = codec::codec_of(file);
  return codec == codec::Codec::bzip2 || codec == codec::Codec::gzip;
}

}  // namespace

bool PiecesAhead::Task::claim() {
  int expected = waiting;
  return state.compare_exchange_strong(expected, claimed);
}

void PiecesAhead::Task::prepare() {
  piece->prepare();
  state.store(done);
  state.notify_all();
}

PiecesAhead::PiecesAhead(base::File& file, OtherThreads* threads)
    : pieces_(codec::open(file)),
      threads_(threads != nullptr && threads->most_ahead() > 1 && is_parallel(file) ? threads : nullptr) {}

PiecesAhead::~PiecesAhead() {
  for (const auto& task : ahead_) {
    // No piece may be begun any more; those that were begun still use the file.
    if (!task->claim()) task->state.wait(Task::claimed);
    task->piece.reset();
    threads_->give_back(task->bytes);
  }
}

void PiecesAhead::fill() {
  while (!at_end_ && ahead_.size() < threads_->most_ahead()) {
    auto task = std::make_shared<Task>();
    task->piece = pieces_->next();
    at_end_ = task->piece == nullptr;
    if (at_end_) return;
    task->bytes = task->piece->memory_bytes();
    const bool has_room = threads_->take(task->bytes);
    if (!has_room) task->bytes = 0;
    ahead_.push_back(task);
    // One piece is held whatever the bound is: that which is asked for.
    if (!has_room) return;
    threads_->start([task] {
      if (task->claim()) task->prepare();
    });
  }
}

/// Helps with others that wait while somebody else is at it.
void PiecesAhead::finish(Task& task) {
  if (task.claim()) return task.prepare();
  for (const auto& other : ahead_) {
    if (task.state.load() == Task::done) return;
    if (other->claim()) other->prepare();
  }
  task.state.wait(Task::claimed);
}

std::unique_ptr<codec::Piece> PiecesAhead::next() {
  if (threads_ == nullptr) {
    auto piece = pieces_->next();
    if (piece) piece->prepare();
    return piece;
  }
  // A piece for which there was no room is the last, and waits until it is the first.
  if (ahead_.empty() || ahead_.back()->bytes != 0) fill();
  if (ahead_.empty()) return nullptr;
  const std::shared_ptr<Task> first = ahead_.front();
  finish(*first);
  ahead_.pop_front();
  threads_->give_back(first->bytes);
  return std::move(first->piece);
}

}  // namespace shardmill::source
