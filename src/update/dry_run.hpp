// dry_run: what an update would do.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/facts.hpp"
#include "update/options.hpp"
#include "update/request.hpp"

namespace shardmill::update {

/// Exact for the samples that are removed, an estimate for those that are added. Writes nothing.
UpdateSummary dry_run(const Request& request, const Facts& facts, pipeline::Workers& workers,
                      base::Reporter& reporter);

}  // namespace shardmill::update
