// What `shardmill repack` says at its end.
#pragma once

#include <string>

#include "shardmill/commands/repack.hpp"

namespace shardmill::cli {

std::string summary_as_text(const commands::RepackSummary& summary, const commands::RepackOptions& options);
std::string summary_as_json(const commands::RepackSummary& summary, const commands::RepackOptions& options);

}  // namespace shardmill::cli
