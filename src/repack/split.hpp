// split: makes several datasets of the same sources in one pass: DIR/train, DIR/dev and others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/reporter.hpp"
#include "deal/split.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

struct SplitOptions {
  RepackOptions whole;  // its folder gets the folders of all splits, its sizing is for each of them
  deal::SplitWish wish;
};

struct SplitSummary {
  RepackSummary::Outcome outcome = RepackSummary::Outcome::written;
  RepackSummary plan{};  // of all together; only of a plan
  /// By name, train first; not of a plan.
  std::vector<std::pair<std::string, RepackSummary>> splits{};
  std::vector<TableMatch> tables{};  // in all of them together
};

/// "dev=7200,test=7200", or "subset".
std::string text_of(const deal::SplitWish& wish);
std::string dataset_of(const deal::SplitWish& wish, const std::string& split);
/// "speaker", "key" or "subset".
std::string_view name(deal::SplitBy by);

/// Finds the datasets, or makes them. Goes on with an unfinished run. Throws Error for a dataset or a run
/// that differs, and for everything else that stops the run.
SplitSummary run_split(const SplitOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repack
