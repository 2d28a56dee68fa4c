// Observer and Limits: how a caller follows long work, stops it, and bounds what it may use.
#pragma once

#include <cstdint>
#include <string_view>

#include "shardmill/error.hpp"

namespace shardmill {

/// What one call may use.
struct Limits {
  unsigned threads = 0;                                 // 0: the cores that this process may use
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of data in flight
};

/// Derive from this to follow the work. All functions may be called from any thread, and at the same time.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Something is odd, but not an error.
  virtual void warn(const Error& /*warning*/) {}
  /// Something failed, but the rest of the work continues.
  virtual void fail(const Error& /*error*/) {}
  /// Names the work that begins now: "reading", "compressing".
  virtual void phase(std::string_view /*name*/) {}
  /// Asked between pieces of work. If the answer is true, the call throws Interrupted. The work on disk is
  /// kept, and the same call continues it.
  virtual bool stop_requested() const noexcept { return false; }
};

}  // namespace shardmill
