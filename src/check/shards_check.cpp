#include "check/shards_check.hpp"

#include <atomic>
#include <optional>

#include "check/verify/against.hpp"
#include "check/verify/audio_check.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/source_scan.hpp"
#include "shard/keys.hpp"
#include "source/source_set.hpp"

namespace shardmill::check {

namespace {

Finding::Severity severity_of(ShardProblem problem) {
  switch (problem) {
    case ShardProblem::directory:
    case ShardProblem::odd_name:
    case ShardProblem::no_key:
    case ShardProblem::resumed:
      return Finding::Severity::note;
    default:
      return Finding::Severity::finding;
  }
}

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
      : path_(path), number_(number), checks_(checks), audio_(checks.workers, checks.findings) {}

  void take(pipeline::SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      take_sample(std::move(*sample));
    } else if (const auto* finding = std::get_if<ShardFinding>(&item)) {
      checks_.findings.add(path_, *finding, severity_of(finding->problem));
    } else if (const auto* damage = std::get_if<pipeline::Damage>(&item)) {
      checks_.findings.add_cause(damage->error.within(at(path_)));
    }
  }

  /// Call this after everything readable has been added.
  void finish() { audio_.flush(); }

 private:
  void take_sample(shard::GroupedSample&& sample) {
    ++checks_.samples;
    const std::uint64_t begin = sample.begin_offset;
    const pipeline::Origin origin{.dataset_name = {}, .source = path_};
    // measure() mends headers that lie, and readers of this shard meet them as they are.
    Bytes audio = checks_.options.decode ? audio_of(sample.sample) : Bytes();
    const pipeline::Measured measured = pipeline::measure(std::move(sample), origin, {});
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
    if (!checks_.options.decode) return;
    audio_.add({.shard = path_, .member = record.source_key, .tar_offset = begin}, std::move(audio),
               record.audio);
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
  AudioCheck audio_;
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

}  // namespace shardmill::check
