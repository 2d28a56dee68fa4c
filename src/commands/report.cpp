#include "shardmill/commands/report.hpp"

#include <algorithm>
#include <filesystem>

#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/commands/report_facts.hpp"
#include "shardmill/commands/report_page.hpp"
#include "shardmill/manifest/layout.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

bool belongs_to_dataset(const fs::path& path, const DatasetRecords& records) {
  const fs::path inner = path.lexically_relative(base::canonical(records.folder));
  if (inner.empty() || *inner.begin() == "..") return false;
  for (const std::string_view folder :
       {manifest::kShardFolder, manifest::kManifestFolder, manifest::kRankFolder, manifest::kWorkFolder}) {
    if (*inner.begin() == folder) return true;
  }
  return records.checksums->contains(inner.string()) || inner == manifest::kShardList ||
         inner == manifest::kRun || inner == manifest::kChecksums;
}

}  // namespace

ReportSummary run_report(const ReportOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  if (!base::exists(options.folder)) throw Error("there is no such folder", at(options.folder));
  const ReportFacts facts = read_report_facts(options.folder, workers, reporter);
  const manifest::DatasetRecord& dataset = *facts.records.dataset;
  ReportSummary summary{.out_file = options.out_file,
                        .shards = dataset.shards,
                        .samples = dataset.samples,
                        .with_text = dataset.with_text,
                        .seconds = dataset.seconds,
                        .spread_seconds = dataset.balance.max_seconds - dataset.balance.min_seconds};
  if (summary.out_file.empty()) summary.out_file = facts.records.path(manifest::kReport);
  if (belongs_to_dataset(base::canonical(summary.out_file), facts.records))
    throw UsageError("--out names a file of the dataset", at(summary.out_file), "choose another name");
  base::AtomicFile file(summary.out_file);
  file.write(report_page(facts));
  summary.bytes = file.size();
  file.commit();
  return summary;
}

}  // namespace shardmill::commands
