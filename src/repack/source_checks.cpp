// What is wrong with the sources of a plan, before anything is decoded.
#include <fmt/format.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "pipeline/input_checks.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

namespace {

/// A run leaves them out and counts them in its summary; a dry run has none.
void warn_of_unusable(const RepackPlan& plan, base::Reporter& reporter) {
  const auto wanted = [&](std::string_view key) { return plan.recipe.intake.keys.wants(key); };
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const Error& error : source::unusable_by_kind(plan.sources.unusable, dataset.name, wanted))
      reporter.warn(Error(fmt::format("{}; left out", error.problem()), error.where()));
  }
}

std::uint64_t unusable_samples(const RepackPlan& plan) {
  std::uint64_t samples = 0;
  for (const source::Unusable& unusable : plan.sources.unusable) {
    if (source::is_loss(unusable) && plan.recipe.intake.keys.wants(unusable.key))
      samples += unusable.samples.value_or(1);
  }
  return samples;
}

/// Says how a run would end that leaves these samples out. `is_chosen`: the user asks for that already.
void warn_of_losses(const pipeline::BadInput& bad, const RepackPlan& plan, bool is_chosen,
                    base::Reporter& reporter) {
  if (plan.recipe.intake.limit != 0) return;  // they may not be met
  const std::uint64_t allowed = plan.max_rejects;
  if (allowed == std::numeric_limits<std::uint64_t>::max()) return;
  const std::string samples = base::format_count(bad.samples, "bad sample");
  const std::string end = is_chosen ? ": the run would write all others and count as failed"
                                    : ": a run that leaves them out counts as failed";
  if (bad.shards > 0) {
    const bool is_one = bad.shards == 1;
    const std::string others =
        bad.samples == 0 ? "" : fmt::format(", beside at least {} in other files", samples);
    return reporter.warn(
        Error(fmt::format("{} damaged, and it is unknown how many samples {}{}{}",
                          is_one ? "1 source file is" : base::format_count(bad.shards) + " source files are",
                          is_one ? "it loses" : "they lose", others, end),
              {}, is_chosen ? Remedy::allow_any_loss : Remedy::skip_any_loss));
  }
  if (bad.samples <= (is_chosen ? allowed : 1)) return;  // of one, the error says what helps
  if (!is_chosen)
    return reporter.warn(
        Error(fmt::format("there are at least {}{}", samples, end), {}, Remedy::skip_any_loss));
  reporter.warn(Error(fmt::format("at least {} would be left out, and {} may be{}", samples,
                                  allowed == 0 ? "none" : base::format_count(allowed), end),
                      {}, Remedy::allow_losses));
}

}  // namespace

void check_sources(const RepackPlan& plan, base::Reporter& reporter) {
  const pipeline::IntakeOptions& intake = plan.recipe.intake;
  Faults faults;
  faults.attempt([&] { pipeline::check_splits(plan.inputs, intake); });
  faults.attempt([&] { pipeline::check_keys(plan.inputs, intake, reporter); });
  faults.attempt([&] { pipeline::glance_at_texts(plan.inputs, intake, reporter); });
  if (intake.needs_speakers) {
    const auto namesakes = pipeline::check_speakers(plan.inputs, intake, reporter, faults);
    if (namesakes) reporter.warn(*namesakes);
  }
  if (plan.is_trial) {
    pipeline::BadInput bad = pipeline::check_first_files(plan.inputs, intake, reporter, faults);
    const bool are_left_out = intake.on_error == pipeline::OnError::skip;
    if (are_left_out) warn_of_unusable(plan, reporter);
    bad.samples += unusable_samples(plan);
    warn_of_losses(bad, plan, are_left_out, reporter);
  }
  faults.check();
}

}  // namespace shardmill::repack
