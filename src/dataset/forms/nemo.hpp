// How an input_cfg of NeMo names the files of a dataset. NeMo finds the parts of an index pack by these
// texts.
#pragma once

#include <string>
#include <vector>

#include "dataset/forms.hpp"

namespace shardmill::dataset {

/// In NeMo's notation for a range: braces mean something else in its configurations.
struct NemoPaths {
  std::string manifests;
  std::string tars;
};

/// There must be shards, of a dataset.
NemoPaths nemo_paths(const std::vector<ShardToIndex>& shards);

/// How lists with absolute paths name another file of the dataset that `shard` is in.
std::string listed_beside(const ShardToIndex& shard, std::string_view inner);

}  // namespace shardmill::dataset
