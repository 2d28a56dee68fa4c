// What `shardmill repack` says at its end.
#pragma once

#include <string>

#include "shardmill/base/reporter.hpp"
#include "shardmill/commands/repack.hpp"

namespace shardmill::cli {

std::string summary_as_text(const commands::RepackSummary& summary, const commands::RepackOptions& options);
std::string summary_as_json(const commands::RepackSummary& summary, const commands::RepackOptions& options);

/// The exit code, and an error message where more was left out than allowed.
int verdict(const commands::RepackSummary& summary, const commands::RepackOptions& options,
            base::Reporter& reporter);

}  // namespace shardmill::cli
