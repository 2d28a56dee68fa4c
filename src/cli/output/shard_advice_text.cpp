#include <fmt/format.h>

#include <cmath>

#include "base/text/units.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
#include "deal/shard_count.hpp"

namespace shardmill::cli {

namespace {

using AdvisedOutcome = repack::RepackSummary::Outcome;

/// The plan or the dataset that the advice is about.
struct Advised {
  deal::InputEstimate amount;
  std::uint64_t shards = 0;
  bool is_plan = false;
};

/// A user who chose the shards of train, or makes the small sets beside it, needs none.
bool asks_for_advice(const repack::RepackOptions& options) {
  return options.readers.are_given || (!options.readers.are_shards_given && !options.is_of_split);
}

/// Nullopt if there are no samples, or if the user did not ask for advice.
std::optional<Advised> advised(const repack::RepackSummary& summary, const repack::RepackOptions& options) {
  Advised about;
  if (summary.outcome == AdvisedOutcome::planned) {
    about = {.amount = summary.estimate, .shards = summary.planned_shards, .is_plan = true};
  } else if (summary.outcome == AdvisedOutcome::written && asks_for_advice(options)) {
    const manifest::DatasetRecord& dataset = summary.dataset;
    about = {.amount = {.samples = dataset.samples,
                        .seconds = static_cast<std::uint64_t>(std::llround(dataset.seconds)),
                        .bytes = dataset.tar_bytes},
             .shards = dataset.shards};
  }
  if (about.amount.samples == 0 || about.shards == 0) return std::nullopt;
  if (!options.readers.are_given && deal::is_trial(about.amount)) return std::nullopt;
  return about;
}

std::string team_text(const deal::Team& team) {
  return fmt::format("{} x {}", base::format_count(team.world_size, "rank"),
                     base::format_count(team.workers, "worker"));
}

struct ShardWarning {
  std::string kind;
  std::string what;
  std::string todo;
};

ShardWarning small_shards(std::uint64_t shards, const deal::ShardChoice& choice, const std::string& better) {
  return {.kind = "small-shards",
          .what = fmt::format(
              "{} hold about {} each: on a network disk, opening such small files takes longer than "
              "reading them",
              base::format_count(shards, "shard"), base::format_size(choice.shard_bytes)),
          .todo = better};
}

ShardWarning idle_workers(std::uint64_t shards, const deal::ShardChoice& choice, const deal::Team& team,
                          const std::string& better) {
  return {.kind = "idle-workers",
          .what = fmt::format("{} {} too few for {}: {} of {} workers get no shard",
                              base::format_count(shards, "shard"), shards == 1 ? "is" : "are",
                              team_text(team), base::format_count(choice.idle_workers),
                              base::format_count(team.world_size * team.workers)),
          .todo = better};
}

ShardWarning uneven_workers(std::uint64_t shards, const deal::ShardChoice& choice, const deal::Team& team,
                            const std::string& better) {
  return {.kind = "uneven-workers",
          .what = fmt::format(
              "{} do not divide into {}: some workers read one more than others, and together they are "
              "idle for {} of their time",
              base::format_count(shards, "shard"), team_text(team), percent(choice.idle_share)),
          .todo = fmt::format("--multiple-of {}, or {}", team.world_size * team.workers, better)};
}

/// Idle workers count only if the user gave the number of workers. A plan without any choice of the user gets
/// advice and no warning.
std::vector<ShardWarning> warnings_about(const Advised& about, const repack::RepackOptions& options) {
  const repack::ShardReaders& readers = options.readers;
  if (!readers.are_shards_given && (about.is_plan || !readers.are_given)) return {};
  const deal::ShardChoice choice = deal::judge_shards(about.amount, about.shards, readers.team);
  const deal::ShardAdvice advice = deal::advise_shards(about.amount, readers.team);
  const std::string better =
      fmt::format("--shards {} holds about {} each", advice.shards, base::format_size(advice.shard_bytes));
  std::vector<ShardWarning> warnings;
  if (choice.is_small) warnings.push_back(small_shards(about.shards, choice, better));
  if (!readers.are_given) return warnings;
  if (choice.idle_workers != 0) {
    warnings.push_back(idle_workers(about.shards, choice, readers.team, better));
  } else if (choice.idle_share > 0) {
    warnings.push_back(uneven_workers(about.shards, choice, readers.team, better));
  }
  return warnings;
}

}  // namespace

std::string shard_advice_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options) {
  const auto about = advised(summary, options);
  if (!about) return "";
  const deal::Team& team = options.readers.team;
  const deal::ShardAdvice advice = deal::advise_shards(about->amount, team);
  std::string text =
      fmt::format("{} for {}{}: about {} and {} each",
                  advice.shards == about->shards ? base::format_count(advice.shards, "shard") + " are right"
                                                 : fmt::format("--shards {}", advice.shards),
                  team_text(team), options.readers.are_given ? "" : " (change them with --ranks, --workers)",
                  base::format_size(advice.shard_bytes), base::format_count(advice.shard_samples, "sample"));
  text += advice.per_worker == 0
              ? "; there are too few samples for a shard for each worker"
              : fmt::format(", {} for each worker", base::format_count(advice.per_worker, "shard"));
  if (advice.fewer_workers != 0)
    text += fmt::format("; for this little data, {} for each rank are enough",
                        base::format_count(advice.fewer_workers, "worker"));
  return row("for training", text) +
         row("shuffle buffer",
             fmt::format("{}: {} in each worker", base::format_count(advice.shuffle_buffer, "sample"),
                         base::format_size(advice.buffer_bytes)));
}

void write_shard_advice(base::JsonWriter& json, const repack::RepackSummary& summary,
                        const repack::RepackOptions& options) {
  const auto about = advised(summary, options);
  if (!about) return;
  const deal::Team& team = options.readers.team;
  const deal::ShardAdvice advice = deal::advise_shards(about->amount, team);
  json.key("for_training").begin_object().member("ranks", team.world_size).member("workers", team.workers);
  json.member("shards", advice.shards).member("shard_bytes", advice.shard_bytes);
  json.member("shard_samples", advice.shard_samples).member("shards_a_worker", advice.per_worker);
  json.member("shuffle_buffer", advice.shuffle_buffer).member("shuffle_buffer_bytes", advice.buffer_bytes);
  const deal::ShardChoice choice = deal::judge_shards(about->amount, about->shards, team);
  json.key("chosen").begin_object().member("shards", about->shards).member("shard_bytes", choice.shard_bytes);
  json.member("idle_workers", choice.idle_workers).member("idle_share", choice.idle_share).end_object();
  json.key("warnings").begin_array();
  for (const ShardWarning& warning : warnings_about(*about, options))
    json.begin_object()
        .member("kind", warning.kind)
        .member("what", warning.what)
        .member("do", warning.todo)
        .end_object();
  json.end_array().end_object();
}

void warn_of_shards(const repack::RepackSummary& summary, const repack::RepackOptions& options,
                    base::Reporter& reporter) {
  const auto about = advised(summary, options);
  if (!about) return;
  for (const ShardWarning& warning : warnings_about(*about, options))
    reporter.warn(Error(warning.what, {}, warning.todo));
}

}  // namespace shardmill::cli
