// The recipe's plan-for as text: "wenet,static=16,ranks=8,workers=4", or "none".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deal/plan_for.hpp"

namespace shardmill::dataset {

std::string plan_for_text(const std::optional<deal::PlanFor>& plan);
/// Throws Error, whose problem continues the sentence that "--plan-for VALUE" begins.
std::optional<deal::PlanFor> plan_for_of(std::string_view text);

}  // namespace shardmill::dataset
