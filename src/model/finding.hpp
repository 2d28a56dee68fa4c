// Finding: something that a check found: where it is, what it is, and whether it is damage.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/shard_finding.hpp"

namespace shardmill {

struct Finding {
  enum class Severity {
    finding,  // something is damaged, lost or contradicts a record
    note      // worth knowing, but nothing is wrong with the data
  };

  Severity severity = Severity::finding;
  Where where;                                // its offset is the place in the file on disk
  std::optional<std::uint64_t> tar_offset{};  // place in the uncompressed tar
  std::string what{};                         // one clause
  bool is_cause = false;  // the whole file is missing or damaged, so other findings may follow from this one
};

/// "shards/a.tar: member 'x.wav': tar offset 1024: what"; control characters are escaped.
std::string to_string(const Finding& finding);

/// Collects findings from any thread. Thread-safe.
class FindingList {
 public:
  void add(Finding finding);
  void add(Where where, std::string what) { add({.where = std::move(where), .what = std::move(what)}); }
  void add(const Error& error) { add(error.where(), error.problem()); }
  /// Adds a finding about a file that is missing, cannot be read, or is not what was written.
  void add_cause(Where where, std::string what) {
    add({.where = std::move(where), .what = std::move(what), .is_cause = true});
  }
  void add_cause(const Error& error) { add_cause(error.where(), error.problem()); }
  void add(const std::string& shard, const ShardFinding& found, Finding::Severity severity);
  void note(Where where, std::string what) {
    add({.severity = Finding::Severity::note, .where = std::move(where), .what = std::move(what)});
  }

  /// All findings, sorted by file, place and text, so that the order does not depend on threads.
  std::vector<Finding> take();

 private:
  std::mutex mutex_;
  std::vector<Finding> findings_;
};

}  // namespace shardmill
