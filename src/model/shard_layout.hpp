// ShardLayout: the places of the samples in a plain tar shard.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill {

struct ShardLayout {
  struct Member {
    std::string name;               // exactly as in the tar
    bool is_name_in_header = true;  // the member's own header has room for it (100 bytes)
    std::string extension;
    std::uint64_t offset = 0;  // of the member's bytes
    std::uint64_t bytes = 0;
  };
  struct Sample {
    std::uint64_t header_offset = 0;  // of the sample's first member
    std::vector<Member> members;
  };

  std::vector<Sample> samples;
  std::uint64_t end_offset = 0;  // the start of the end blocks, after the last member's padding
};

}  // namespace shardmill
