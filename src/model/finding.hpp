// Finding: the result of a check: the problem, its place, and whether it is damage. ShardFinding: something
// odd or damaged in the tar of a shard, without a judgement: the caller decides what to do about it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shardmill {

enum class ShardProblem {
  // A member that is not sample data, or must not be read.
  directory,
  link,          // symbolic or hard: never followed
  special_file,  // a device, a fifo, or an unknown type of member
  sparse_file,
  oversized_member,
  odd_name,          // absolute, with "..", or with control characters; the member is still delivered
  no_key,            // the key rule finds no key and extension in the name
  duplicate_member,  // a member whose extension the sample already has; it begins a new sample
  // Damage.
  not_a_tar,
  bad_header,       // the bytes where a header should be are not a header
  bad_extension,    // a pax or long-name header that cannot be trusted; its member is left out
  gap,              // the decoder lost bytes here
  resumed,          // the next readable header after bad_header or gap; `bytes` were skipped
  truncated,        // the data ends inside a member or header; `bytes` are missing
  no_end,           // the data ends at a member boundary without the two end blocks
  lone_zero_block,  // one end block, followed by more members
  data_after_end,
  zeros_after_end,  // more zeros than the record size of a tar explains
};

struct ShardFinding {
  ShardProblem problem{};
  std::string name;          // of the member, exactly as in the tar; empty if unknown
  std::uint64_t offset = 0;  // of the first byte concerned, in the plain tar
  std::uint64_t bytes = 0;   // the number of bytes concerned or missing
  std::string text;          // the problem in one clause, without name and offset
};

/// A word for records: "directory", "bad_header".
std::string_view name(ShardProblem problem);

/// True if the shard itself is broken, false if it only holds an unwanted member.
bool is_damage(ShardProblem problem);

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
  /// Adds a finding about a file that is missing, cannot be read, or was changed after it was written.
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
