// assembly: writes the tars and manifests that an update makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

struct Target {
  std::string tar;       // where it will be, relative to the dataset's folder
  std::string manifest;  // the same
  std::uint32_t shard_id = 0;
  codec::EncoderOptions format;
  std::vector<std::uint32_t> samples;  // of the stock, in the order in which they are written
};

struct WrittenTarget {
  check::ShardContents contents;  // as the manifest says, transcripts as they were counted
  std::uint64_t bytes = 0;        // of the file
  std::uint64_t tar_bytes = 0;    // of the plain tar
  std::string sha256;
  std::string manifest_sha256;
};

/// Writes all targets below `folder` under their names, whole and synced; several at a time. The same bytes
/// for any number of threads.
std::vector<WrittenTarget> write_targets(const std::vector<Target>& targets, const Stock& stock,
                                         const std::string& folder, pipeline::Workers& workers,
                                         base::Reporter& reporter);

}  // namespace shardmill::update
