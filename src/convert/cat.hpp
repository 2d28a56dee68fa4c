// cat: writes one shard as plain tar bytes, or one of its members.
#pragma once

#include <cstdint>
#include <string>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::convert {

struct CatOptions {
  std::string shard;             // "-": standard input
  std::string member;            // KEY or KEY.EXT; empty: the whole tar
  bool ignore_trailing = false;  // ignore bytes after the last compressed stream
};

struct CatSummary {
  std::uint64_t bytes = 0;  // the number of bytes written
};

/// Writes to `out`. Throws Error for damage (after writing everything before it), and if the
/// member is missing.
CatSummary run_cat(const CatOptions& options, base::File& out, pipeline::Workers& workers,
                   base::Reporter& reporter);

}  // namespace shardmill::convert
