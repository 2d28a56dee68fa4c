// ShardLayout: where in a plain tar shard its samples lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill {

struct ShardLayout {
  struct Member {
    std::string name;               // as it stands in the tar
    bool is_name_in_header = true;  // the 100 bytes for it in the member's own header hold it
    std::string extension;
    std::uint64_t offset = 0;  // of its bytes
    std::uint64_t bytes = 0;
  };
  struct Sample {
    std::uint64_t header_offset = 0;  // of its first member
    std::vector<Member> members;
  };

  std::vector<Sample> samples;
  std::uint64_t end_offset = 0;  // behind the last member's padding, where the end blocks begin
};

}  // namespace shardmill
