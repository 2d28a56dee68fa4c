// Observer and Limits: how a caller follows long work, stops it, and limits its threads and memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "shardmill/error.hpp"

namespace shardmill {

/// Limits for one call.
struct Limits {
  unsigned threads = 0;                                 // 0: the cores that this process may use
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of data in flight
};

/// The progress of the work. A count that does not apply to a call stays 0.
struct Progress {
  std::uint64_t input_bytes = 0;        // read from the sources, as they are on disk
  std::uint64_t input_bytes_total = 0;  // 0: unknown
  std::uint64_t output_bytes = 0;
  std::uint64_t samples = 0;
  double seconds = 0;  // of audio
};

/// Derive from this to follow the work. All functions may be called from any thread, and at the same time.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Something is odd, but not an error.
  virtual void warn(const Error& /*warning*/) {}
  /// Something failed, but the rest of the work continues.
  virtual void fail(const Error& /*error*/) {}
  /// Names the work that starts now: "reading", "compressing".
  virtual void phase(std::string_view /*name*/) {}
  /// Called a few times a second while the work continues, from a thread of its own. It must not throw.
  virtual void progress(const Progress& /*so_far*/) {}
  /// Asked between pieces of work. If the answer is true, the call throws Interrupted. The work on disk is
  /// kept, and the same call continues it.
  virtual bool stop_requested() const noexcept { return false; }
};

}  // namespace shardmill
