// The key rule that a caller of the library names, as the rest of the program knows it.
#pragma once

#include "shard/keys.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::library {

inline shard::KeyRule internal(KeyRule rule) {
  return rule == KeyRule::wenet ? shard::KeyRule::wenet : shard::KeyRule::webdataset;
}

}  // namespace shardmill::library
