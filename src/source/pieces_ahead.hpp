// PiecesAhead: the pieces of a compressed file in their order, prepared by several threads at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::source {

/// Threads that can take over some work, and the memory that may be held for it. All of it is thread-safe.
class OtherThreads {
 public:
  OtherThreads() = default;
  OtherThreads(const OtherThreads&) = delete;
  OtherThreads& operator=(const OtherThreads&) = delete;
  virtual ~OtherThreads() = default;

  /// How many pieces ahead are of use.
  virtual std::size_t most_ahead() const = 0;
  /// Takes `bytes` of the budget; false if that many are not free.
  virtual bool take(std::uint64_t bytes) = 0;
  virtual void give_back(std::uint64_t bytes) noexcept = 0;
  /// Runs `work` on another thread when one is free.
  virtual void start(std::function<void()> work) = 0;
};

/// One thread at a time.
class PiecesAhead {
 public:
  /// `file` and `threads` must outlive it. Without them each piece is prepared when it is asked for.
  /// Throws Error when the file cannot be read.
  PiecesAhead(base::File& file, OtherThreads* threads);
  PiecesAhead(const PiecesAhead&) = delete;
  PiecesAhead& operator=(const PiecesAhead&) = delete;
  /// Waits for pieces that are being prepared.
  ~PiecesAhead();

  /// The next piece, prepared; null at the end of the file.
  std::unique_ptr<codec::Piece> next();

 private:
  /// Whoever claims it prepares it.
  struct Task {
    enum State : int { waiting, claimed, done };

    std::unique_ptr<codec::Piece> piece;
    std::uint64_t bytes = 0;
    std::atomic<int> state{waiting};

    bool claim();
    void prepare();
  };

  void fill();
  void finish(Task& task);

  std::unique_ptr<codec::PieceReader> pieces_;
  OtherThreads* threads_;  // null: none are of use
  std::deque<std::shared_ptr<Task>> ahead_;
  bool at_end_ = false;
};

}  // namespace shardmill::source
