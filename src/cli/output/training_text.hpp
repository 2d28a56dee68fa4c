// The results of `doctor --training` and `doctor --compare`, for people and for programs.
#pragma once

#include <string>

#include "commands/doctor.hpp"

namespace shardmill::cli {

std::string training_as_text(const commands::TrainingDoctorSummary& summary);

std::string comparison_as_text(const training::Comparison& comparison);
std::string comparison_as_json(const training::Comparison& comparison);

/// True if a difference matters.
bool differs(const training::Comparison& comparison);

}  // namespace shardmill::cli
