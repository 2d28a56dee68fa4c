#include "report/report.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "ranks/ranks.hpp"
#include "report/facts.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace fs = std::filesystem;

namespace {

bool belongs_to_dataset(const fs::path& path, const std::string& folder) {
  const fs::path inner = path.lexically_relative(base::canonical(folder));
  if (inner.empty() || *inner.begin() == "..") return false;
  for (const std::string_view own :
       {manifest::kShardFolder, manifest::kManifestFolder, manifest::kRankFolder, manifest::kWorkFolder}) {
    if (*inner.begin() == own) return true;
  }
  return inner != manifest::kReport && dataset::dataset_file_names(folder).contains(inner.string());
}

void check_out_file(const std::string& path, const std::string& folder) {
  if (belongs_to_dataset(base::canonical(path), folder))
    throw UsageError("is a file of the dataset", at(path), "choose another name");
  if (dataset::check_file_may_be_written(path) && !dataset::is_report_page(path))
    throw Error("is not a report of shardmill and is not replaced", at(path), Remedy::other_folder);
}

TrainingFacts facts_of(const ranks::LoaderReport& loader, const deal::Team& team) {
  TrainingFacts facts{
      .loader = std::string(name(loader.loader)), .ranks = team.world_size, .workers = team.workers};
  for (const deal::EpochSteps& epoch : loader.steps->counted.epochs) {
    facts.epochs.push_back(
        {.fewest = epoch.fewest(), .most = epoch.most(), .padding = epoch.padding, .waiting = epoch.idle});
  }
  return facts;
}

void add_training(const ranks::RanksSummary& summary, const std::string& batches, ReportFacts& facts) {
  facts.batches = batches;
  for (const ranks::WorldReport& world : summary.worlds) {
    for (const ranks::LoaderReport& loader : world.loaders) {
      if (loader.steps) facts.training.push_back(facts_of(loader, world.team));
    }
  }
  for (std::size_t i = 0; i < summary.bucket_shares.size(); ++i) {
    facts.buckets.push_back({.from_seconds = i == 0 ? 0 : summary.duration_bins[i - 1],
                             .audio = summary.bucket_shares[i].audio,
                             .samples = summary.bucket_shares[i].samples});
  }
}

void sum_up(const std::vector<ReportFacts>& all, ReportSummary& summary) {
  for (const ReportFacts& facts : all) {
    const manifest::DatasetRecord& dataset = *facts.records.dataset;
    summary.shards += dataset.shards;
    summary.samples += dataset.samples;
    summary.with_text += dataset.with_text;
    summary.seconds += dataset.seconds;
    summary.spread_seconds =
        std::max(summary.spread_seconds, dataset.balance.max_seconds - dataset.balance.min_seconds);
  }
}

}  // namespace

ReportSummary run_report(const ReportOptions& options, const std::optional<ranks::RanksOptions>& training,
                         pipeline::Workers& workers, base::Reporter& reporter) {
  const std::vector<base::ListedFolder> listed(options.folders.begin(), options.folders.end());
  for (const std::string& folder : options.folders) {
    if (!base::exists(folder)) throw Error("there is no such folder", at(folder));
    dataset::check_is_finished(folder);
  }
  const bool is_inside = options.out_file.empty();
  std::vector<dataset::DatasetHold> holds;
  for (const std::string& folder : options.folders) {
    holds.push_back(is_inside ? dataset::DatasetHold::to_write(folder, options.command, reporter)
                              : dataset::DatasetHold::to_read(folder));
  }
  ReportSummary summary{.out_file = is_inside ? base::inside(options.folders.front(), manifest::kReport)
                                              : options.out_file};
  for (const std::string& folder : options.folders) check_out_file(summary.out_file, folder);
  std::vector<ReportFacts> all;
  for (const std::string& folder : options.folders)
    all.push_back(read_report_facts(folder, workers, reporter));
  if (training) add_training(foretell(*training, workers, reporter), options.batches, all.front());
  sum_up(all, summary);
  base::AtomicFile file(summary.out_file);
  file.write(all.size() == 1 ? report_page(all.front()) : comparison_page(all));
  summary.bytes = file.size();
  for (const dataset::DatasetHold& hold : holds) hold.check_same();
  file.commit();
  return summary;
}

}  // namespace shardmill::report
