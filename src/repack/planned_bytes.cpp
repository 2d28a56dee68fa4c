#include "repack/planned_bytes.hpp"

#include <algorithm>

#include "codec/erasure_code.hpp"

namespace shardmill::repack {

namespace {

// A line in the manifest of the shard, the same line in the manifest of all samples, and indexes.
constexpr std::uint64_t kRecordBytesPerSample = 1000;
// Samples that wait for the end of the input are written twice.
constexpr std::uint64_t kHeldPerShard = 16;

}  // namespace

std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads) {
  deal::InputEstimate amount = plan.estimate;
  const std::uint64_t limit = plan.recipe.intake.limit;
  const double taken = limit == 0 || amount.samples <= limit
                           ? 1
                           : static_cast<double>(limit) / static_cast<double>(amount.samples);
  const double samples = taken * static_cast<double>(amount.samples);
  const double tars = taken * static_cast<double>(amount.bytes);
  const double shards = std::max<double>(1, plan.shards);
  const double held = samples == 0 ? 0 : std::min(1.0, static_cast<double>(kHeldPerShard) * shards / samples);
  // Each tar is removed when its compressed shard is whole.
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  const double at_once = compresses ? std::min<double>(threads, shards) / shards : 0;
  const double parity =
      static_cast<double>(plan.recipe.parity) / std::min<double>(codec::kMostDataPieces, shards);
  return static_cast<std::uint64_t>((1 + parity) * (tars + samples * kRecordBytesPerSample) +
                                    tars * (held + at_once));
}

}  // namespace shardmill::repack
