// Proposal: the repack command that fits what inspect has seen, and what a user has to decide first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/inspection.hpp"
#include "manifest/dataset_record.hpp"

namespace shardmill::cli {

struct Proposal {
  std::vector<std::string> decisions;  // a sentence each
  std::string command;                 // one line of a shell
};

/// Nullopt if nothing was decoded, or if there is one dataset and nothing is wrong with it.
std::optional<Proposal> proposal_for(const check::InspectSummary& summary,
                                     const check::InspectOptions& options);

/// The options that bring all audio of a dataset to one form; empty if it has one already.
std::string options_for_one_form(const std::vector<manifest::DatasetRecord::AudioKind>& kinds);

}  // namespace shardmill::cli
