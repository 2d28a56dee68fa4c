// dry_run: what an update would do.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/facts.hpp"
#include "update/options.hpp"
#include "update/request.hpp"

namespace shardmill::update {

/// Of what is removed this is exact, of what is added it is an estimate. Writes nothing.
UpdateSummary dry_run(const Request& request, const Facts& facts, pipeline::Workers& workers,
                      base::Reporter& reporter);

}  // namespace shardmill::update
