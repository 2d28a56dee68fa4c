// What an update would do, for a dry run.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "update/options.hpp"
#include "update/request.hpp"

namespace shardmill::update {

/// Of what is removed this is exact, of what is added it is an estimate. Writes nothing.
UpdateSummary foretell(const Request& request, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::update
