// repack in parts, for machines that share nothing but a filesystem: each does a part, and one finishes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::repack {

struct PartsPlanned {
  std::uint32_t parts = 0;
  std::uint32_t shards = 0;
  std::uint64_t files = 0;
  std::uint64_t input_bytes = 0;
  bool was_planned = false;                 // an earlier command wrote the same plan
  std::optional<RepackSummary> finished{};  // set when the dataset exists already
  double seconds = 0;
};

/// Writes down how the run is divided, and its options. This is quick. Throws UsageError for options
/// that parts cannot keep, and Error when the folder holds something else.
PartsPlanned plan_parts(const RepackOptions& options, std::uint32_t parts, base::Reporter& reporter);

struct PartDone {
  enum class What { read, completed, nothing };

  What what = What::nothing;
  std::uint64_t samples = 0;  // samples that were read
  std::uint64_t input_bytes = 0;
  std::uint32_t shards = 0;
  bool resumed = false;
  double seconds = 0;
};

/// Does what part `part` has to do next: it reads its sources, or completes its shards when the held samples
/// have been dealt. `options` are those of the plan. Throws Error for sources that have changed and for a
/// plan of another version of shardmill.
PartDone run_part(const RepackOptions& options, const PartPlan& plan, std::uint32_t part,
                  pipeline::Workers& workers, base::Reporter& reporter);

/// Deals the held samples of all parts over all shards. Throws Error when a part has not read its sources.
void deal_parts(const RepackOptions& options, const PartPlan& plan, base::Reporter& reporter);

/// Does everything that is left: deals, completes the parts that are not complete, records and publishes.
RepackSummary finish_parts(const RepackOptions& options, const PartPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter);

/// The finished dataset in the output folder, which is published first if that was interrupted; nullopt when
/// it does not exist, or when a run in parts is planned that will replace it.
std::optional<RepackSummary> finished_already(const RepackOptions& options, base::Reporter& reporter);

}  // namespace shardmill::repack
