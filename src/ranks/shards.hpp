// RankShards: the shards that training ranks will read, and what is in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "deal/rank_load.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::ranks {

struct RankShard {
  std::string path;       // to open it
  std::string list_path;  // as a list names it: absolute, or below the list root
  codec::Codec codec = codec::Codec::none;
  std::uint64_t tar_bytes = 0;  // uncompressed
  deal::Load load;
};

struct RankShards {
  bool is_dataset = false;        // made by shardmill
  std::string list_root{};        // of a dataset
  std::vector<RankShard> shards;  // in the order of the list
  std::vector<deal::Load> loads;  // of the same
};

/// True when repack made what is in the folder, finished or not.
bool is_dataset(const std::string& folder);

/// Takes one dataset's folder at its word, once its records agree with each other, with their checksums and
/// with the sizes of its shards; reads shards of other origin from end to end. `list_root` stands before
/// shards/ in lists of a dataset; empty: what data.list has, or the folder itself. Throws Error for a dataset
/// that is not finished or does not fit together, UsageError and Error like find_sources().
RankShards find_rank_shards(const std::vector<std::string>& targets, const std::string& list_root,
                            pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::ranks
