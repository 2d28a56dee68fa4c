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

/// Derive from it to follow the work. All functions may be called from any thread, also at the same time.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Something odd that is no error.
  virtual void warn(const Error& /*warning*/) {}
  /// Something bad that does not stop the rest of the work.
  virtual void fail(const Error& /*error*/) {}
  /// What is done from now on: "reading", "compressing".
  virtual void phase(std::string_view /*name*/) {}
  /// Asked between pieces of work. The call then throws Interrupted; what is on disk stays resumable.
  virtual bool stop_requested() const noexcept { return false; }
};

}  // namespace shardmill
