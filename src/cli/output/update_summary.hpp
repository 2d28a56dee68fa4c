// What `shardmill update` says at its end.
#pragma once

#include <string>

#include "update/options.hpp"

namespace shardmill::cli {

/// What brings waiting samples into training.
std::string bring_in_advice(const update::UpdateSummary& summary, const update::UpdateOptions& options);

std::string update_as_text(const update::UpdateSummary& summary, const update::UpdateOptions& options);
std::string update_as_json(const update::UpdateSummary& summary, const update::UpdateOptions& options);

}  // namespace shardmill::cli
