#include "report/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/utterance.hpp"
#include "shard/sample_packer.hpp"
#include "source/file_name.hpp"

namespace shardmill::report {

void DurationHistogram::add(Duration duration) {
  const std::size_t step = std::min(static_cast<std::size_t>(duration / kStep), kSteps);
  if (step >= counts_.size()) counts_.resize(step + 1);
  ++counts_[step];
  shortest_ = samples_ == 0 ? duration : std::min(shortest_, duration);
  longest_ = std::max(longest_, duration);
  total_ += duration;
  ++samples_;
}

void DurationHistogram::add(const DurationHistogram& other) {
  if (other.samples_ == 0) return;
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  std::transform(other.counts_.begin(), other.counts_.end(), counts_.begin(), counts_.begin(), std::plus<>());
  shortest_ = samples_ == 0 ? other.shortest_ : std::min(shortest_, other.shortest_);
  longest_ = std::max(longest_, other.longest_);
  total_ += other.total_;
  samples_ += other.samples_;
}

DurationHistogram::Duration DurationHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(samples_)));
  std::uint64_t passed = 0;
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    passed += counts_[step];
    if (passed >= wanted) return kStep * static_cast<std::int64_t>(step);
  }
  return {};
}

std::uint64_t DurationHistogram::count(std::size_t first, std::size_t last) const {
  const std::size_t end = std::min(last, counts_.size());
  if (first >= end) return 0;
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(first),
                         counts_.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
}

void QualityCounts::add(const AudioQuality& quality) {
  measured += 1;
  clipped += quality.clipped >= kClipped ? 1 : 0;
  dc_offset += std::abs(quality.dc_offset) >= kDcOffset ? 1 : 0;
  silent += !quality.all_zero && quality.digital_silence >= kSilence ? 1 : 0;
  all_zero += quality.all_zero ? 1 : 0;
  narrow_band += quality.narrow_band ? 1 : 0;
}

void QualityCounts::add(const QualityCounts& other) {
  measured += other.measured;
  clipped += other.clipped;
  dc_offset += other.dc_offset;
  silent += other.silent;
  all_zero += other.all_zero;
  narrow_band += other.narrow_band;
}

namespace {

using Duration = std::chrono::nanoseconds;
using manifest::ShardRecord;

constexpr std::size_t kMostSources = 200'000;
constexpr std::uint64_t kSamplesBetweenLooks = 10'000;
constexpr double kLongestSeconds = 3.6e6;  // 1000 hours in one sample must be a mistake
constexpr auto kAdvice = "shardmill verify lists all contradictions";

struct Amount {
  std::uint64_t samples = 0;
  Duration duration{};
};

/// The sums over the samples of some manifests.
struct SampleFacts {
  using Source = std::pair<std::string, std::string>;  // dataset, path

  std::map<std::string, DurationHistogram> durations;
  std::map<Source, Amount> sources;
  bool has_other_sources = false;
  QualityCounts quality{};
  bool has_too_many_sources = false;

  void add(const manifest::SampleRecord& sample) {
    const Duration duration = pipeline::duration_of(sample.audio);
    durations[sample.dataset].add(duration);
    if (sample.quality) quality.add(*sample.quality);
    if (source::has_shard_name(sample.source)) {
      add_source({sample.dataset, sample.source}, {.samples = 1, .duration = duration});
    } else {
      has_other_sources = true;
    }
  }

  void add(const SampleFacts& other) {
    for (const auto& [dataset, durations_there] : other.durations) durations[dataset].add(durations_there);
    for (const auto& [source, amount] : other.sources) add_source(source, amount);
    has_other_sources |= other.has_other_sources;
    quality.add(other.quality);
    has_too_many_sources |= other.has_too_many_sources;
  }

 private:
  void add_source(const Source& source, const Amount& more) {
    auto found = sources.find(source);
    if (found == sources.end()) {
      has_too_many_sources |= sources.size() == kMostSources;
      if (has_too_many_sources) return;
      found = sources.try_emplace(source).first;
    }
    found->second.samples += more.samples;
    found->second.duration += more.duration;
  }
};

void check_against(const ShardRecord& shard, const SampleFacts& found, const std::string& path) {
  for (const auto& [dataset, durations] : found.durations) {
    const auto share =
        std::find_if(shard.shares.begin(), shard.shares.end(),
                     [&name = dataset](const ShardRecord::Share& other) { return other.dataset == name; });
    const std::uint64_t samples = share == shard.shares.end() ? 0 : share->samples;
    const double seconds = share == shard.shares.end() ? 0 : share->seconds;
    // Like repack and verify, compare whole nanoseconds, which are computed from frames, and not decimal
    // seconds.
    if (durations.samples() == samples && shard::seconds(durations.total()) == seconds) continue;
    throw Error(fmt::format("has {} of {} with {:.6f} s, and {} says {} with {:.6f} s",
                            base::format_count(durations.samples(), "sample"), printable(dataset),
                            shard::seconds(durations.total()), manifest::kShardRecords,
                            base::format_count(samples), seconds),
                at(path), kAdvice);
  }
  for (const ShardRecord::Share& share : shard.shares) {
    if (share.samples == 0 || found.durations.contains(share.dataset)) continue;
    throw Error(fmt::format("has no sample of {}, and {} says {}", printable(share.dataset),
                            manifest::kShardRecords, share.samples),
                at(path), kAdvice);
  }
}

std::string manifest_path(const dataset::DatasetRecords& records, const ShardRecord& shard) {
  return records.path(manifest::manifest_path(shard.shard_id));
}

/// The size of the file; 0 if it cannot be examined. Reading the file then reports the reason.
std::uint64_t bytes_of(const std::string& path) {
  return base::size_of_file(path).value_or(0);
}

/// The length of a sample follows from its frames and sample rate. `duration` must agree.
void check_duration(const manifest::SampleRecord& sample, std::uint64_t line, const std::string& path) {
  const bool has_rate = sample.audio.sample_rate != 0;
  if (has_rate && sample.audio.seconds() <= kLongestSeconds &&
      sample.duration_seconds == sample.audio.seconds())
    return;
  throw Error(fmt::format("line {} has an impossible duration: {} s for {} frames at {} Hz", line,
                          sample.duration_seconds, sample.audio.frames, sample.audio.sample_rate),
              at(path), kAdvice);
}

SampleFacts read_manifest(const dataset::DatasetRecords& records, const ShardRecord& shard,
                          base::Reporter& reporter) {
  const std::string path = manifest_path(records, shard);
  manifest::RecordReader reader(path);
  SampleFacts facts;
  for (manifest::SampleRecord sample; reader.next(sample);) {
    check_duration(sample, reader.line_number(), path);
    facts.add(sample);
    if (reader.line_number() % kSamplesBetweenLooks == 0) reporter.check_stop();
  }
  check_against(shard, facts, path);
  return facts;
}

SampleFacts read_manifests(const dataset::DatasetRecords& records, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  for (const ShardRecord& shard : *records.shards)
    reporter.progress().input_bytes_total += bytes_of(manifest_path(records, shard));
  SampleFacts all;
  std::mutex mutex;
  workers.for_each(records.shards->size(), [&](std::size_t index) {
    reporter.check_stop();
    const ShardRecord& shard = (*records.shards)[index];
    const SampleFacts facts = read_manifest(records, shard, reporter);
    reporter.progress().input_bytes += bytes_of(manifest_path(records, shard));
    reporter.progress().samples += shard.samples;
    reporter.progress().audio_milliseconds += static_cast<std::uint64_t>(shard.seconds * 1e3);
    const std::lock_guard lock(mutex);
    all.add(facts);
  });
  return all;
}

/// Compares dataset.json with the manifests.
void check_totals(const dataset::DatasetRecords& records, const SampleFacts& found) {
  const Where where = at(records.path(manifest::kDataset));
  if (records.shards->empty()) throw Error("names no shards", where);
  std::uint64_t samples = 0;
  for (const auto& [dataset, durations] : found.durations) samples += durations.samples();
  if (samples != records.dataset->samples) {
    throw Error(
        fmt::format("says {}, and the manifests have {}",
                    base::format_count(records.dataset->samples, "sample"), base::format_count(samples)),
        where, kAdvice);
  }
  for (const manifest::DatasetRecord::Part& part : records.dataset->datasets) {
    const auto durations = found.durations.find(part.dataset);
    const std::uint64_t there = durations == found.durations.end() ? 0 : durations->second.samples();
    if (there == part.samples) continue;
    throw Error(
        fmt::format("says {} of {}, and the manifests have {}", base::format_count(part.samples, "sample"),
                    printable(part.dataset), base::format_count(there)),
        where, kAdvice);
  }
}

std::vector<SourceShare> sources_of(const SampleFacts& facts, const dataset::DatasetRecords& records) {
  std::vector<SourceShare> sources;
  if (facts.has_too_many_sources) return sources;
  for (const manifest::DatasetRecord::Part& part : records.dataset->datasets) {
    for (auto at = facts.sources.lower_bound({part.dataset, ""});
         at != facts.sources.end() && at->first.first == part.dataset; ++at) {
      sources.push_back({.dataset = part.dataset,
                         .path = at->first.second,
                         .samples = at->second.samples,
                         .duration = at->second.duration});
    }
  }
  return sources;
}

std::vector<RejectGroup> read_rejects(const std::string& path) {
  std::map<manifest::RejectReason, RejectGroup> by_reason;
  manifest::RecordReader reader(path);
  for (manifest::Reject reject; reader.next(reject);) {
    RejectGroup& group = by_reason[reject.reason];
    group.reason = reject.reason;
    if (++group.count <= RejectGroup::kExamples) group.examples.push_back(reject);
  }
  std::vector<RejectGroup> groups;
  for (auto& [reason, group] : by_reason) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RejectGroup& a, const RejectGroup& b) { return a.count > b.count; });
  return groups;
}

std::optional<manifest::RankPlanRecord> read_plan(const dataset::DatasetRecords& records) {
  const std::string path =
      records.path(std::string(manifest::kRankFolder) + "/" + std::string(manifest::kRankPlan));
  if (!base::exists(path)) return std::nullopt;
  const manifest::RankPlanRecord plan = manifest::read_rank_plan(path);
  if (plan.shards != records.dataset->shards || plan.samples != records.dataset->samples)
    throw Error("was made for other shards", at(path), "run shardmill ranks again");
  return plan;
}

}  // namespace

ReportFacts read_report_facts(const std::string& folder, pipeline::Workers& workers,
                              base::Reporter& reporter) {
  reporter.phase("reading");
  ReportFacts facts{
      .records = dataset::sound_records(folder), .durations = {}, .sources = {}, .rejects = {}, .plan = {}};
  SampleFacts samples = read_manifests(facts.records, workers, reporter);
  check_totals(facts.records, samples);
  facts.sources = sources_of(samples, facts.records);
  facts.has_other_sources = samples.has_other_sources;
  facts.quality = samples.quality;
  facts.durations = std::move(samples.durations);
  facts.rejects = read_rejects(facts.records.path(manifest::kRejects));
  facts.plan = read_plan(facts.records);
  return facts;
}

}  // namespace shardmill::report
