// Losses: tells Python what a shard lost that is read in spite of damage.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "shardmill/observer.hpp"

namespace shardmill::python {

/// Keeps what is lost until the thread that holds Python's lock asks for it.
class Losses final : public Observer {
 public:
  void fail(const Error& error) override;

  /// Gives a DamageWarning for each loss since the last time. Throws PythonError where a filter of Python's
  /// makes an exception of it.
  void tell();

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

}  // namespace shardmill::python
