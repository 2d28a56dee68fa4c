#include "pipeline/intake/member_storage.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "pipeline/source_item.hpp"
#include "source/scratch_space.hpp"

namespace shardmill::pipeline {

shard::MemberStorage member_storage(std::uint64_t memory_bytes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  constexpr std::uint64_t kMostOpen = 64;  // files, see lanes_of_each()
  const auto space = std::make_shared<source::ScratchSpace>(std::numeric_limits<std::uint64_t>::max());
  return {.in_memory_bytes = std::clamp(memory_bytes / kMostOpen, kMiB, 8 * kMiB),
          .most_bytes = kMemberLimitBytes,
          .file = [space](std::uint64_t bytes) {
            try {
              space->check_free_space(bytes);
              return space->file();
            } catch (const Error& error) {
              throw FatalError(
                  Error(error.problem(), error.where(), "set TMPDIR to a folder where files can be made"));
            }
          }};
}

}  // namespace shardmill::pipeline
