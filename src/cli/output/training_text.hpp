// What doctor says of training: of one machine, and of the differences between several.
#pragma once

#include <string>

#include "commands/doctor_training.hpp"

namespace shardmill::cli {

std::string training_as_text(const commands::TrainingDoctorSummary& summary);

std::string comparison_as_text(const training::Comparison& comparison);
std::string comparison_as_json(const training::Comparison& comparison);

/// True when a difference matters.
bool differs(const training::Comparison& comparison);

}  // namespace shardmill::cli
