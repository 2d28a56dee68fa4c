// The jobs that run as a whole, and the version of the library.
#include <algorithm>

#include "base/error.hpp"
#include "base/version.hpp"
#include "check/verification.hpp"
#include "convert/conversion.hpp"
#include "library/named_options.hpp"
#include "library/observing.hpp"
#include "pipeline/workers.hpp"
#include "repack/repack.hpp"
#include "shardmill/convert.hpp"
#include "shardmill/repack.hpp"
#include "shardmill/verify.hpp"
#include "shardmill/version.hpp"

namespace shardmill {

codec::Codec library::internal(Codec codec) {
  switch (codec) {
    case Codec::none:
      return codec::Codec::none;
    case Codec::zstd:
      return codec::Codec::zstd;
    case Codec::lz4:
      return codec::Codec::lz4;
    case Codec::gzip:
      return codec::Codec::gzip;
  }
  throw UsageError("no such codec");
}

std::vector<ConvertedShard> run_convert(const ConvertOptions& options, Observer& observer) {
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  const convert::ConvertSummary summary = library::with_errors([&] {
    return convert::run_convert({.shards = options.shards,
                                 .out_folder = options.out_folder,
                                 .codec = library::internal(options.codec),
                                 .level = options.level,
                                 .seekable = options.seekable,
                                 .force = options.force},
                                workers, reporter);
  });
  std::vector<ConvertedShard> shards;
  for (const convert::ConvertedShard& shard : summary.shards) {
    shards.push_back({.source = shard.source,
                      .result = shard.result,
                      .up_to_date = shard.outcome == convert::ConvertedShard::Outcome::up_to_date,
                      .problem = shard.problem});
  }
  return shards;
}

namespace {

deal::ShardSizing sizing_of(const RepackOptions& options) {
  if (options.shards != 0)
    return {
        .by = deal::ShardSizing::By::shards, .amount = options.shards, .multiple_of = options.multiple_of};
  return {.by = deal::ShardSizing::By::samples,
          .amount = options.samples_per_shard,
          .multiple_of = options.multiple_of};
}

repack::RepackOptions internal(const RepackOptions& options) {
  if (options.sources.empty()) throw UsageError("no source is given");
  if (options.out_folder.empty()) throw UsageError("no output folder is given");
  if (options.samples_per_shard == 0 || options.multiple_of == 0)
    throw UsageError("samples_per_shard and multiple_of are at least 1");
  if (options.interleave == 0 || options.interleave > dataset::kMostFilesAtATime)
    throw UsageError("interleave is a number from 1 to 256");
  repack::RepackOptions result;
  result.sources = options.sources;
  result.out_folder = options.out_folder;
  result.recipe.sizing = sizing_of(options);
  result.recipe.codec = library::internal(options.codec);
  result.recipe.level = options.level;
  result.recipe.prefix = options.prefix;
  result.recipe.interleave = options.interleave;
  result.recipe.seed = options.seed;
  result.recipe.weights = options.weights;
  result.max_rejects = options.max_rejects;
  result.force = options.force;
  result.recipe.intake.missing_text =
      options.allow_missing_text ? source::MissingText::allowed : source::MissingText::refused;
  result.recipe.intake.on_error =
      options.skip_bad_samples ? pipeline::OnError::skip : pipeline::OnError::stop;
  result.command = "shardmill library";
  library::apply(options.named, result);
  return result;
}

}  // namespace

void set_option(RepackOptions& options, std::string_view name, std::string_view value) {
  const std::vector<std::string> names = option_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError("repack has no option '" + printable(name) + "'");
  options.named.emplace_back(name, value);
}

std::vector<std::string> option_names() {
  return library::repack_option_names();
}

RepackSummary run_repack(const RepackOptions& options, Observer& observer) {
  library::ObservingReporter reporter(observer);
  const bool is_standard = options.limits.memory_bytes == Limits{}.memory_bytes;
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes,
                            is_standard ? pipeline::MemoryBound::standard : pipeline::MemoryBound::given);
  const repack::RepackSummary done =
      library::with_errors([&] { return repack::run_repack(internal(options), workers, reporter); });
  const manifest::DatasetRecord& dataset = done.dataset;
  return {.already_there = done.outcome == repack::RepackSummary::Outcome::already_there,
          .too_many_rejects = done.too_many_rejects,
          .shards = dataset.shards,
          .samples = dataset.samples,
          .rejects = dataset.rejects,
          .seconds = dataset.seconds,
          .spread_seconds = dataset.balance.max_seconds - dataset.balance.min_seconds};
}

VerifySummary run_verify(const VerifyOptions& options, Observer& observer) {
  if (options.targets.empty()) throw UsageError("no dataset and no shard is given");
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  const check::VerifySummary checked = library::with_errors([&] {
    return check::run_verify({.targets = options.targets,
                              .decode = options.decode,
                              .against = options.against,
                              .allow_commands = options.allow_commands},
                             workers, reporter);
  });
  VerifySummary summary{.good = checked.count(Finding::Severity::finding) == 0,
                        .shards = checked.shards,
                        .samples = checked.samples,
                        .findings = {}};
  for (const Finding& finding : checked.findings) {
    summary.findings.push_back({.is_damage = finding.severity == Finding::Severity::finding,
                                .where = finding.where,
                                .what = finding.what});
  }
  return summary;
}

std::string_view version() noexcept {
  return base::version();
}

}  // namespace shardmill
