// What --plan-for comes to, in words.
#pragma once

#include <cstdint>
#include <string>

#include "deal/plan_for.hpp"
#include "manifest/dataset_record.hpp"

namespace shardmill::cli {

/// "wenet: batches of 16 samples take 64 steps on each of 8 ranks, in every epoch".
std::string plan_for_text(const deal::PlanFor& plan, std::uint64_t samples);

/// The same of a finished dataset, or why it does not hold there.
std::string kept_plan_text(const deal::PlanFor& plan, const manifest::DatasetRecord& dataset);

}  // namespace shardmill::cli
