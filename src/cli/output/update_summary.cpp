#include "cli/output/update_summary.hpp"

#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/output/balance_text.hpp"
#include "cli/output/doubt_text.hpp"
#include "cli/output/plan_for_text.hpp"
#include "cli/output/row.hpp"
#include "cli/output/table_matches.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::cli {

namespace {

using update::UpdateSummary;

std::string amount(std::uint64_t samples, double seconds) {
  return fmt::format("{}, {}", base::format_count(samples, "sample"), base::format_audio(seconds));
}

std::string changes_text(const UpdateSummary& summary) {
  const auto& update = summary.update;
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::format_count(count), what);
  };
  add(update.new_shards, "new");
  add(update.rewritten_shards, "written again");
  add(summary.removed_shards, "fewer than before");
  return fmt::format("{}: {}", base::format_count(summary.dataset.shards),
                     text.empty() ? "none was written" : text);
}

/// Why samples wait: what a shard needs of each dataset, and what is there.
std::string waiting_text(const UpdateSummary& summary) {
  const manifest::DatasetRecord& dataset = summary.dataset;
  if (dataset.evened && dataset.pending->samples < dataset.shards) {
    return fmt::format("  all {} hold the same number of samples: too few wait for each to get one more\n",
                       base::format_count(dataset.shards, "shard"));
  }
  std::string text;
  double seconds = summary.dataset.pending->seconds;
  bool is_short_of_samples = false;
  for (const auto& [name, waiting] : summary.waiting) {
    if (waiting.per_shard == 0 && waiting.waiting == 0) continue;
    is_short_of_samples |= waiting.waiting < waiting.per_shard;
    const std::string per_shard =
        waiting.per_shard == 0 ? "no shard has any" : "a shard has " + base::format_count(waiting.per_shard);
    text += fmt::format("{}{} of {} wait, {}", text.empty() ? "" : "; ", base::format_count(waiting.waiting),
                        name, per_shard);
  }
  if (!is_short_of_samples) {
    const double shard_mean = summary.shard_seconds * static_cast<double>(summary.dataset.shards) /
                              static_cast<double>(summary.dataset.samples);
    text += fmt::format(
        "; they last {:.2f} s on average, those in shards {:.2f} s, so no choice of them makes an equal "
        "shard",
        seconds / static_cast<double>(summary.dataset.pending->samples), shard_mean);
  }
  return "  they fill no shard: " + text +
         "\n  they wait in pending/ for the next update, and no list names them; "
         "--spread-rest deals them over all shards" +
         (dataset.evened ? ", as many to each" : "") + "\n";
}

std::string left_out_text(const UpdateSummary& summary) {
  std::string text;
  for (const auto& [reason, count] : summary.left_out)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::format_count(count), reason);
  return text.empty() ? "nothing" : text + " (see rejects.jsonl)";
}

}  // namespace

namespace {

std::string plan_as_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const auto& update = summary.update;
  std::string text = fmt::format("planned, nothing written to {}\n", options.folder);
  if (!options.sources.empty()) text += row("added", "about " + amount(update.added, update.added_seconds));
  if (update.removed != 0) text += row("removed", amount(update.removed, update.removed_seconds));
  const std::string about = options.sources.empty() ? "" : "about ";
  text += row("shards", about + changes_text(summary));
  text += row("samples", about + base::format_count(summary.dataset.samples));
  if (update.pending != 0) text += row("waiting", about + base::format_count(update.pending, "sample"));
  return text +
         row("bytes", fmt::format("about {} would be written", base::format_size(summary.written_bytes)));
}

}  // namespace

std::string update_as_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const manifest::DatasetRecord& dataset = summary.dataset;
  if (summary.outcome == UpdateSummary::Outcome::already_done) {
    return fmt::format("{} is updated already: the last update was this one; {}, {}, {}\n", options.folder,
                       base::format_count(dataset.shards, "shard"),
                       base::format_count(dataset.samples, "sample"), base::format_audio(dataset.seconds));
  }
  if (summary.outcome == UpdateSummary::Outcome::planned) return plan_as_text(summary, options);
  std::string text = fmt::format("{}/{}\n", options.folder, dataset.shard_files);
  if (!options.sources.empty())
    text += row("added", amount(summary.update.added, summary.update.added_seconds));
  if (summary.update.removed != 0)
    text += row("removed", amount(summary.update.removed, summary.update.removed_seconds));
  text += row("shards", changes_text(summary));
  text += row("samples", base::format_count(dataset.samples));
  text += row("audio", base::format_audio(dataset.seconds));
  for (const auto& part : dataset.datasets)
    text += row("  " + part.dataset, amount(part.samples, part.seconds));
  text += row("spread", spread_text(dataset.balance));
  if (const auto recipe = dataset::known_fields(dataset.options, {"plan-for"}); recipe && recipe->plan_for)
    text += row("steps", kept_plan_text(*recipe->plan_for, dataset));
  if (dataset.pending) {
    text += row("waiting", amount(dataset.pending->samples, dataset.pending->seconds));
    text += waiting_text(summary);
  }
  text += tables_as_text(summary.tables);
  text += row("bytes", fmt::format("{} written", base::format_size(summary.written_bytes)));
  text += row("time", base::format_elapsed(summary.seconds));
  if (!options.sources.empty()) text += row("left out", left_out_text(summary));
  text += doubt_as_text(dataset);
  if (!summary.dropped.empty()) {
    text += row("dropped",
                fmt::format("{} of the old shards, such as {}: make them again with ranks or report",
                            base::format_count(summary.dropped.size(), "file"), summary.dropped.front()));
  }
  return text;
}

std::string update_as_json(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const manifest::DatasetRecord& dataset = summary.dataset;
  const bool is_done = summary.outcome == UpdateSummary::Outcome::already_done;
  const bool is_planned = summary.outcome == UpdateSummary::Outcome::planned;
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object()
      .member("outcome", is_done      ? "already_done"
                         : is_planned ? "planned"
                                      : "written")
      .member("folder", options.folder);
  json.member("shards", dataset.shards).member("samples", dataset.samples);
  json.member("audio_seconds", dataset.seconds);
  json.member("added", summary.update.added).member("removed", summary.update.removed);
  json.member("doubtful_samples", doubtful_samples(dataset));
  json.member("new_shards", summary.update.new_shards);
  json.member("rewritten_shards", summary.update.rewritten_shards);
  json.member("removed_shards", summary.removed_shards);
  const std::uint64_t pending = dataset.pending ? dataset.pending->samples : 0;
  json.member("pending", is_planned ? summary.update.pending : pending);
  json.member("pending_seconds", dataset.pending ? dataset.pending->seconds : 0.0);
  json.member("spread_seconds", dataset.balance.max_seconds - dataset.balance.min_seconds);
  json.member("spread_samples", dataset.balance.max_samples - dataset.balance.min_samples);
  json.member("even", is_even(dataset.balance)).member("written_bytes", summary.written_bytes);
  write_tables(json, summary.tables);
  json.key("left_out").begin_object();
  for (const auto& [reason, count] : summary.left_out) json.member(reason, count);
  json.end_object().key("dropped").begin_array();
  for (const std::string& name : summary.dropped) json.value(name);
  json.end_array().member("too_many_rejects", summary.too_many_rejects).member("seconds", summary.seconds);
  json.end_object();
  return text;
}

}  // namespace shardmill::cli
