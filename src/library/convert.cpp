#include "shardmill/convert.hpp"

#include "convert/conversion.hpp"
#include "library/named_options.hpp"
#include "library/observing.hpp"
#include "pipeline/workers.hpp"

namespace shardmill {

codec::Codec library::internal(Codec codec) {
  switch (codec) {
    case Codec::none:
      return codec::Codec::none;
    case Codec::zstd:
      return codec::Codec::zstd;
    case Codec::lz4:
      return codec::Codec::lz4;
    case Codec::gzip:
      return codec::Codec::gzip;
  }
  throw UsageError("no such codec");
}

std::vector<ConvertedShard> run_convert(const ConvertOptions& options, Observer& observer) {
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  const convert::ConvertSummary summary = library::with_errors([&] {
    return convert::run_convert({.shards = options.shards,
                                 .out_folder = options.out_folder,
                                 .codec = library::internal(options.codec),
                                 .level = options.level,
                                 .seekable = options.seekable,
                                 .force = options.force},
                                workers, reporter);
  });
  std::vector<ConvertedShard> shards;
  for (const convert::ConvertedShard& shard : summary.shards) {
    shards.push_back({.source = shard.source,
                      .result = shard.result,
                      .up_to_date = shard.outcome == convert::ConvertedShard::Outcome::up_to_date,
                      .problem = shard.problem});
  }
  return shards;
}

}  // namespace shardmill
