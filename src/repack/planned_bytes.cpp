#include "repack/planned_bytes.hpp"

#include <algorithm>

#include "codec/erasure_code.hpp"
#include "deal/dealer.hpp"

namespace shardmill::repack {

namespace {

// A line in the manifest of the shard, the same line in the manifest of all samples, and indexes.
constexpr std::uint64_t kRecordBytesPerSample = 1000;

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
  // Samples that wait for the end of the input are written twice.
  const auto seconds = static_cast<std::int64_t>(taken * static_cast<double>(amount.seconds));
  const auto held_samples = static_cast<double>(
      deal::held_samples(plan.shards, static_cast<std::uint64_t>(samples), std::chrono::seconds(seconds)));
  const double held = samples < 1 ? 0 : held_samples / samples;
  // Each tar is removed when its compressed shard is whole.
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  const double at_once = compresses ? std::min<double>(threads, shards) / shards : 0;
  const double parity =
      static_cast<double>(plan.recipe.parity) / std::min<double>(codec::kMostDataPieces, shards);
  return static_cast<std::uint64_t>((1 + parity) * (tars + samples * kRecordBytesPerSample) +
                                    tars * (held + at_once));
}

}  // namespace shardmill::repack
