// The results of `doctor --training` and `doctor --compare`, for people and for programs.
#pragma once

#include <string>

#include "doctor/doctor.hpp"

namespace shardmill::cli {

std::string training_as_text(const doctor::TrainingDoctorSummary& summary);

std::string comparison_as_text(const doctor::Comparison& comparison);
std::string comparison_as_json(const doctor::Comparison& comparison);

/// True if a difference matters.
bool differs(const doctor::Comparison& comparison);

}  // namespace shardmill::cli
