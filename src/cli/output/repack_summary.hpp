// What `shardmill repack` says at its end.
#pragma once

#include <string>

#include "base/reporter.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

std::string summary_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
std::string summary_as_json(const repack::RepackSummary& summary, const repack::RepackOptions& options);

/// The exit code, and an error message when more was left out than is allowed.
int verdict(const repack::RepackSummary& summary, const repack::RepackOptions& options,
            base::Reporter& reporter);

}  // namespace shardmill::cli
