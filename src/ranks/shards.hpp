// RankShards: the shards that training ranks will read, with the samples and seconds of each.
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
  std::string list_path;  // its name in lists: absolute, or below the list root
  codec::Codec codec = codec::Codec::none;
  std::uint64_t tar_bytes = 0;  // uncompressed
  deal::Load load;
};

struct RankShards {
  bool is_dataset = false;        // shardmill made them
  std::string list_root{};        // for a dataset only
  std::vector<RankShard> shards;  // in the order of the list
  std::vector<deal::Load> loads;  // of the same shards
};

/// True if repack made the contents of the folder, finished or not.
bool is_dataset(const std::string& folder);

/// For one dataset's folder, trusts the records, after checking that they agree with each other, with their
/// checksums and with the sizes of the shards. Reads other shards from end to end. `list_root` comes before
/// shards/ in the lists of a dataset; empty: the root of data.list, or the folder itself. Throws Error for a
/// dataset that is unfinished or inconsistent, and UsageError and Error like find_sources().
RankShards find_rank_shards(const std::vector<std::string>& targets, const std::string& list_root,
                            pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::ranks
