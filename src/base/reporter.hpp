// Reporter: takes the progress, warnings and errors of the work for display, and tells the work to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::base {

/// The progress of the work. Any thread writes it, the display reads it.
struct Progress {
  std::atomic<std::uint64_t> input_bytes{0};        // compressed bytes read from the sources
  std::atomic<std::uint64_t> input_bytes_total{0};  // 0 if unknown
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

  /// Shows a warning at once.
  virtual void warn(const Error& warning) = 0;
  /// Shows at once an error that does not stop the rest of the work.
  virtual void fail(const Error& error) = 0;
  /// Names the next step of the work: "reading", "compressing".
  virtual void phase(std::string_view name) = 0;

  /// The signal that asked the work to stop, or 0.
  virtual int stop_signal() const noexcept = 0;
  /// Throws Interrupted if the work should stop. Call it between pieces of work.
  void check_stop() const {
    if (const int signal_number = stop_signal(); signal_number != 0) throw Interrupted(signal_number);
  }

  Progress& progress() noexcept { return progress_; }

 private:
  Progress progress_;
};

}  // namespace shardmill::base
