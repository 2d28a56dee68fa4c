#include "check/verification.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>

#include "base/io/folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "check/dataset_check.hpp"
#include "check/repair_plan.hpp"
#include "check/separate_splits.hpp"
#include "check/verify/against.hpp"
#include "check/verify/sample_check.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"
#include "model/finding.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/read_through.hpp"
#include "shard/keys.hpp"
#include "source/source_set.hpp"

namespace shardmill::check {

namespace {

/// What the checks of all files share, and their sums.
struct Checks {
  const VerifyOptions& options;
  pipeline::Workers& workers;
  base::Reporter& reporter;
  FindingList& findings;
  std::optional<Against> against{};
  std::atomic<std::uint64_t> samples = 0;
  std::atomic<std::uint64_t> with_text = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
};

/// Checks one file from its start to its end.
class ForeignCheck {
 public:
  ForeignCheck(const std::string& path, std::uint32_t number, Checks& checks)
      : path_(path),
        number_(number),
        checks_(checks),
        check_(checks.options.decode ? AudioDepth::values : AudioDepth::headers, checks.workers,
               checks.findings) {}

  void take(pipeline::SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      take_sample(std::move(*sample));
    } else if (const auto* finding = std::get_if<ShardFinding>(&item)) {
      checks_.findings.add(path_, *finding, severity_of(finding->problem, ShardOf::others));
    } else if (const auto* damage = std::get_if<pipeline::Damage>(&item)) {
      checks_.findings.add_cause(damage->error.within(at(path_)));
    }
  }

  /// Call this after everything readable has been added.
  void finish() { check_.flush(); }

 private:
  void take_sample(shard::GroupedSample&& sample) {
    ++checks_.samples;
    const std::uint64_t begin = sample.begin_offset;
    const pipeline::Origin origin{.dataset_name = {}, .source = path_};
    // measure() mends headers that lie, and readers of this shard meet them as they are.
    Bytes audio = check_.needs_audio() ? audio_of(sample.sample) : Bytes();
    const pipeline::Measured measured = std::move(pipeline::measure(std::move(sample), origin, {}).front());
    if (const auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
      checks_.findings.add(
          {.where = {.path = path_, .member = reject->member.value_or(reject->key.value_or(""))},
           .tar_offset = begin,
           .what = reject->problem});
      return;
    }
    const auto& utterance = std::get<pipeline::Utterance>(measured.outcome);
    const manifest::SampleRecord& record = utterance.record;
    if (utterance.has_text) ++checks_.with_text;
    checks_.nanoseconds += pipeline::duration_of(record.audio).count();
    if (checks_.against) checks_.against->add_output(number_, utterance);
    check_.take({.shard = path_, .member = record.source_key, .tar_offset = begin}, record, std::move(audio));
  }

  static Bytes audio_of(const Sample& sample) {
    for (const Member& member : sample.members) {
      if (shard::is_audio_extension(member.extension)) return member.bytes;
    }
    return {};
  }

  const std::string& path_;
  std::uint32_t number_;
  Checks& checks_;
  SampleCheck check_;
};

void check_foreign(const std::string& path, std::size_t number, Checks& checks) {
  ForeignCheck check(path, static_cast<std::uint32_t>(number), checks);
  try {
    pipeline::scan_source({.path = path}, shard::KeyRule::wenet, checks.workers, checks.reporter,
                          [&](pipeline::SourceItem&& item) { check.take(std::move(item)); });
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    checks.findings.add_cause(error.within(at(path)));
  }
  check.finish();
}

}  // namespace

void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary) {
  const source::SourceSet sources =
      source::find_sources(options.targets, {.on_unusable = source::OnUnusable::collect, .corpora = false});
  for (const source::Unusable& unusable : sources.unusable) findings.add_cause(unusable.error);
  std::vector<std::string> paths;
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      paths.push_back(file.path);
      summary.bytes += file.bytes;
    }
  }
  summary.shards = paths.size() + sources.unusable.size();
  Checks checks{.options = options, .workers = workers, .reporter = reporter, .findings = findings};
  if (!options.against.empty()) checks.against.emplace(options, dataset::Recipe(), findings);
  reporter.progress().input_bytes_total = summary.bytes + (checks.against ? checks.against->bytes() : 0);
  workers.for_each(paths.size(), [&](std::size_t index) { check_foreign(paths[index], index, checks); });
  summary.samples = checks.samples;
  summary.with_text = checks.with_text;
  summary.audio_seconds = static_cast<double>(checks.nanoseconds) / 1e9;
  if (!checks.against) return;
  reporter.phase("reading the sources");
  checks.against->read_sources(workers, reporter);
  checks.against->settle(std::move(paths));
  summary.source_samples = checks.against->source_samples();
}

std::uint64_t VerifySummary::count(Finding::Severity severity) const {
  return static_cast<std::uint64_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

std::vector<std::string> VerifySummary::bad_shards() const {
  std::set<std::string> paths;
  for (const Finding& finding : findings) {
    const std::filesystem::path path = finding.where.path;
    const bool is_shard = !is_dataset || path.parent_path().filename() == manifest::kShardFolder;
    if (finding.severity == Finding::Severity::finding && is_shard) paths.insert(path.string());
  }
  return {paths.begin(), paths.end()};
}

bool is_dataset_folder(const std::string& given) {
  const std::string path = base::without_end_slashes(given);
  if (!base::may_exist(path)) return false;
  try {
    if (!base::is_folder(path)) return false;
  } catch (const Error&) {
    return false;  // reported when the file is read
  }
  const auto holds = [&](std::string_view name) { return base::may_exist(base::inside(path, name)); };
  return holds(manifest::kDataset) || dataset::holds_work_of_run(path) || holds(manifest::kShardRecords) ||
         holds(manifest::kChecksums);
}

VerifySummary run_verify(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  FindingList findings;
  VerifySummary summary;
  std::vector<base::ListedFolder> whole;  // otherwise each question on the way to its datasets is a request
  if (options.targets.size() == 1 && base::is_remote_folder(options.targets.front()))
    whole.emplace_back(options.targets.front());
  std::vector<std::string> folders = datasets_of(options.targets);
  const bool is_any_missing = leave_out_missing(options.targets, folders, findings);
  const auto datasets = std::count_if(folders.begin(), folders.end(), is_dataset_folder);
  if (datasets > 0 && static_cast<std::size_t>(datasets) < folders.size())
    throw UsageError("takes one dataset at a time, or any number of shards");
  if (!options.allowed_signers.empty() && base::is_remote(folders.front()))
    throw UsageError("is in a bucket, and ssh-keygen checks signatures of files on this machine only",
                     at(folders.front()), "copy SHA256SUMS and its signature here, and use ssh-keygen");
  if (datasets == 0 && !options.allowed_signers.empty())
    throw UsageError("checks the signature of a dataset; single shards have none");
  if (datasets > 0) {
    VerifyOptions how = options;
    // The samples of a missing dataset would seem to be lost.
    if (is_any_missing) how.against.clear();
    for (std::string& folder : folders) folder = base::without_end_slashes(folder);
    const std::vector<base::ListedFolder> lists(folders.begin(), folders.end());
    check_belong_together(folders, !how.against.empty());
    const std::vector<dataset::UnlockedRead> reads(folders.begin(), folders.end());
    verify_datasets(folders, how, workers, reporter, findings, summary);
    if (datasets > 1) {
      check_split_record(folders, findings);
      check_separate(folders, reporter, findings);
    }
    for (const dataset::UnlockedRead& read : reads) read.check_unchanged();
  } else if (!is_any_missing) {
    verify_shards(options, workers, reporter, findings, summary);
  }
  summary.findings = findings.take();
  if (datasets > 0) {
    for (const std::string& folder : folders) {
      if (!base::is_remote(folder)) summary.repairs.merge(repairability(folder, summary.findings));
    }
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::check
