#include "shardmill/commands/verify_shards.hpp"

#include <atomic>

#include "shardmill/commands/audio_check.hpp"
#include "shardmill/pipeline/measure.hpp"
#include "shardmill/pipeline/source_scan.hpp"
#include "shardmill/source/source_set.hpp"

namespace shardmill::commands {

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

struct Tally {
  std::atomic<std::uint64_t> samples = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
};

/// One file from its start to its end.
class ForeignCheck {
 public:
  ForeignCheck(const std::string& path, bool decode, pipeline::Workers& workers, FindingList& findings,
               Tally& tally)
      : path_(path), decode_(decode), findings_(findings), tally_(tally), audio_(workers, findings) {}

  void take(pipeline::SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      take_sample(std::move(*sample));
    } else if (const auto* finding = std::get_if<ShardFinding>(&item)) {
      findings_.add(path_, *finding, severity_of(finding->problem));
    } else if (const auto* error = std::get_if<Error>(&item)) {
      findings_.add(error->within(at(path_)));
    }
  }

  /// When all that can be read was taken.
  void finish() { audio_.flush(); }

 private:
  void take_sample(shard::GroupedSample&& sample) {
    ++tally_.samples;
    const std::uint64_t begin = sample.begin_offset;
    const pipeline::Origin origin{.dataset_name = {}, .source = path_};
    const pipeline::Measured measured = pipeline::measure(std::move(sample), origin, {});
    if (const auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
      findings_.add({.where = {.path = path_, .member = reject->member.value_or(reject->key.value_or(""))},
                     .tar_offset = begin,
                     .what = reject->problem});
      return;
    }
    const auto& utterance = std::get<pipeline::Utterance>(measured.outcome);
    const manifest::SampleRecord& record = utterance.record;
    tally_.nanoseconds += pipeline::duration_of(record.audio).count();
    if (!decode_) return;
    const auto audio = std::span<const std::byte>(utterance.packed.bytes)
                           .subspan(utterance.packed.audio_offset, record.audio_bytes);
    audio_.add({.shard = path_, .member = record.source_key, .tar_offset = begin},
               Bytes(audio.begin(), audio.end()), record.audio);
  }

  const std::string& path_;
  bool decode_;
  FindingList& findings_;
  Tally& tally_;
  AudioCheck audio_;
};

void check_foreign(const std::string& path, const VerifyOptions& options, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings, Tally& tally) {
  ForeignCheck check(path, options.decode, workers, findings, tally);
  try {
    const auto scanned =
        pipeline::scan_source({.path = path}, shard::KeyRule::wenet, workers, reporter,
                              [&](pipeline::SourceItem&& item) { check.take(std::move(item)); });
    for (const Error& warning : scanned.warnings) findings.note(at(path), warning.problem());
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    findings.add(error.within(at(path)));
  }
  check.finish();
}

}  // namespace

void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary) {
  const source::SourceSet sources =
      source::find_sources(options.targets, {.on_unusable = source::OnUnusable::collect, .corpora = false});
  for (const source::Unusable& unusable : sources.unusable) findings.add(unusable.error);
  std::vector<std::string> paths;
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      paths.push_back(file.path);
      summary.bytes += file.bytes;
    }
  }
  summary.shards = paths.size() + sources.unusable.size();
  reporter.progress().input_bytes_total = summary.bytes;
  Tally tally;
  workers.for_each(paths.size(), [&](std::size_t index) {
    check_foreign(paths[index], options, workers, reporter, findings, tally);
  });
  summary.samples = tally.samples;
  summary.audio_seconds = static_cast<double>(tally.nanoseconds) / 1e9;
}

}  // namespace shardmill::commands
