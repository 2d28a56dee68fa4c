// The summary of `shardmill repack`.
#pragma once

#include <string>

#include "base/reporter.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

std::string summary_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
std::string summary_as_json(const repack::RepackSummary& summary, const repack::RepackOptions& options);

/// Returns the exit code, and reports an error if more samples were left out than --max-rejects allows.
int verdict(const repack::RepackSummary& summary, const repack::RepackOptions& options,
            base::Reporter& reporter);

}  // namespace shardmill::cli
