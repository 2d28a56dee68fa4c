// Reporter: how the work tells people how far it is, what is odd, and how it learns that it should stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::base {

/// What has been done so far; written by any thread, read by the display.
struct Progress {
  std::atomic<std::uint64_t> input_bytes{0};        // taken from the sources, as they lie on disk
  std::atomic<std::uint64_t> input_bytes_total{0};  // 0: not known
  std::atomic<std::uint64_t> output_bytes{0};
  std::atomic<std::uint64_t> samples{0};
  std::atomic<std::uint64_t> audio_milliseconds{0};
};

using shardmill::Interrupted;

/// All functions may be called from any thread.
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  virtual ~Reporter() = default;

  /// Something odd that is no error; shown at once.
  virtual void warn(const Error& warning) = 0;
  /// Something bad that does not stop the rest of the work; shown at once.
  virtual void fail(const Error& error) = 0;
  /// What is being done from now on: "reading", "compressing".
  virtual void phase(std::string_view name) = 0;

  /// The signal that asked the work to stop, or 0.
  virtual int stop_signal() const noexcept = 0;
  /// Throws Interrupted when the work should stop; called between pieces of work.
  void check_stop() const {
    if (const int signal_number = stop_signal(); signal_number != 0) throw Interrupted(signal_number);
  }

  Progress& progress() noexcept { return progress_; }

 private:
  Progress progress_;
};

}  // namespace shardmill::base
