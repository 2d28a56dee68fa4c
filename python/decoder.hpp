// Decoder: the samples of one shard, one at a time, decoded by a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "losses.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::python {

/// One thread at a time takes samples. The thread that decodes starts with the first one.
class Decoder {
 public:
  Decoder(std::string path, ReadOptions options, Losses& losses);
  /// Stops decoding.
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// The next sample; nullopt at the end. Throws what read_shard() throws. Not for a process that was forked
  /// since the first one: it lacks the thread.
  std::optional<Sample> next();

 private:
  /// What both threads use.
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Sample> waiting;
    std::uint64_t waiting_bytes = 0;
    bool is_done = false;
    bool is_stopped = false;
    std::exception_ptr failure;
    std::thread thread;
  };

  void decode();
  bool put(Sample&& sample);

  std::string path_;
  ReadOptions options_;
  Losses& losses_;
  int process_ = 0;  // that the thread lives in; 0: it was not started
  std::unique_ptr<Queue> queue_ = std::make_unique<Queue>();
};

}  // namespace shardmill::python
