#include "commands/report.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "report/facts.hpp"
#include "report/page.hpp"

namespace shardmill::commands {

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
    throw UsageError("--out names a file of the dataset", at(path), "choose another name");
  if (dataset::check_file_may_be_written(path) && !dataset::is_report_page(path))
    throw Error("exists and is not a report of shardmill, so it is not replaced", at(path),
                "give another name with --out");
}

}  // namespace

report::ReportSummary run_report(const report::ReportOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  if (!base::exists(options.folder)) throw Error("there is no such folder", at(options.folder));
  dataset::check_is_finished(options.folder);
  const bool is_inside = options.out_file.empty();
  const dataset::DatasetHold hold =
      is_inside ? dataset::DatasetHold::to_write(options.folder, options.command, reporter)
                : dataset::DatasetHold::to_read(options.folder);
  const std::string out_file =
      is_inside ? options.folder + "/" + std::string(manifest::kReport) : options.out_file;
  check_out_file(out_file, options.folder);
  const report::ReportFacts facts = report::read_report_facts(options.folder, workers, reporter);
  const manifest::DatasetRecord& dataset = *facts.records.dataset;
  report::ReportSummary summary{.out_file = out_file,
                                .shards = dataset.shards,
                                .samples = dataset.samples,
                                .with_text = dataset.with_text,
                                .seconds = dataset.seconds,
                                .spread_seconds = dataset.balance.max_seconds - dataset.balance.min_seconds};
  base::AtomicFile file(summary.out_file);
  file.write(report::report_page(facts));
  summary.bytes = file.size();
  hold.check_same();
  file.commit();
  return summary;
}

}  // namespace shardmill::commands
