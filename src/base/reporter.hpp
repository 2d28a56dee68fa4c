// Reporter: how the work reports progress and oddities to people, and how it learns that it should stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::base {

/// What has been done so far. Any thread writes it, the display reads it.
struct Progress {
  std::atomic<std::uint64_t> input_bytes{0};        // compressed bytes read from the sources
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

  /// Shows at once something that is odd but no error.
  virtual void warn(const Error& warning) = 0;
  /// Shows at once an error that does not stop the rest of the work.
  virtual void fail(const Error& error) = 0;
  /// Names what is done from now on: "reading", "compressing".
  virtual void phase(std::string_view name) = 0;

  /// The signal that asked the work to stop, or 0.
  virtual int stop_signal() const noexcept = 0;
  /// Throws Interrupted when the work should stop. Call it between pieces of work.
  void check_stop() const {
    if (const int signal_number = stop_signal(); signal_number != 0) throw Interrupted(signal_number);
  }

  Progress& progress() noexcept { return progress_; }

 private:
  Progress progress_;
};

}  // namespace shardmill::base
