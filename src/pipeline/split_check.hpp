// Split check: makes sure that what one trains on and what one judges by is mixed only on request.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::pipeline {

/// Throws Error where the corpora, as far as is known before they are read, hold samples of several splits
/// and the user named no subsets. The rest is found while they are read.
void check_splits(const Inputs& inputs, const IntakeOptions& options);

/// `splits`: at least two, by name, with a sample of each in words. `path`: where the second was found.
Error mixed_splits(const std::map<std::string, std::string>& splits, const std::string& path);

}  // namespace shardmill::pipeline
