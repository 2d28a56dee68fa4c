// Warns of keys that the user named and no source has, so that a misspelt list is noticed.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/intake_options.hpp"
#include "repack/table_account.hpp"

namespace shardmill::repack {

/// Warns of the keys of both lists that neither a sample nor a reject has.
void warn_of_unmatched_keys(const pipeline::KeyPatterns& keys, const ListedSamples& listed,
                            base::Reporter& reporter);

}  // namespace shardmill::repack
