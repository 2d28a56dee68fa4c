// PlainSamples: the samples of a plain shard, whose bytes are read straight into Python's objects.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <string>

#include "losses.hpp"
#include "object.hpp"
#include "shardmill/plain_shard.hpp"

namespace shardmill::python {

/// Reads some samples at a time, without Python's lock. Has a second thread only while it reads.
class PlainSamples {
 public:
  PlainSamples(const std::string& path, const ReadOptions& options, Losses& losses);

  /// (key, {extension: bytes}); null at the end. Throws what PlainShard throws, after the samples before it.
  Object next();

 private:
  std::vector<SamplePlace> find_some();
  void read_some();

  PlainShard shard_;
  Losses& losses_;
  std::deque<Object> ready_;
  std::exception_ptr failure_;
  bool is_at_end_ = false;
  std::uint64_t bytes_at_a_time_;
  bool has_two_threads_;
};

}  // namespace shardmill::python
