// What summaries say of samples that may be wrong, though they were taken.
#pragma once

#include <string>

#include "manifest/dataset_record.hpp"

namespace shardmill::cli {

/// A row of a summary; empty where there is no doubt.
std::string doubt_as_text(const manifest::DatasetRecord& dataset);

}  // namespace shardmill::cli
