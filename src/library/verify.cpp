#include "shardmill/verify.hpp"

#include "check/verification.hpp"
#include "library/observing.hpp"
#include "pipeline/workers.hpp"

namespace shardmill {

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

}  // namespace shardmill
