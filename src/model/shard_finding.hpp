// ShardFinding: something odd or damaged in a shard. The caller decides what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
  zeros_after_end,  // more of them than fill up a record of a tar
};

struct ShardFinding {
  ShardProblem problem{};
  std::string name;          // of the member, as it stands in the tar; empty where unknown
  std::uint64_t offset = 0;  // of the first byte concerned, in the plain tar
  std::uint64_t bytes = 0;   // how many bytes are concerned or missing
  std::string text;          // the problem in one clause, without name and offset
};

/// A word for records: "directory", "bad_header".
std::string_view name(ShardProblem problem);

/// True when the shard itself is broken, false when it only holds something that is not wanted.
bool is_damage(ShardProblem problem);

}  // namespace shardmill
