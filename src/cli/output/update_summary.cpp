#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
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

/// The first line, where samples wait: they are what people would look for in vain.
std::string waiting_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  if (summary.waiting == 0) return {};
  const std::string seconds = summary.dataset.pending && summary.outcome != UpdateSummary::Outcome::planned
                                  ? ", " + base::format_audio(summary.dataset.pending->seconds)
                                  : "";
  return fmt::format("{}{} not in training: {} wait{} in pending/; {}\n",
                     base::format_count(summary.waiting, "sample") + seconds,
                     summary.waiting == 1 ? " is" : " are", summary.waiting == 1 ? "it" : "they",
                     summary.waiting == 1 ? "s" : "", bring_in_advice(summary, options));
}

/// How unlike the shares of datasets are. Empty when they are alike.
std::string mix_text(const UpdateSummary& summary) {
  std::string text;
  for (const auto& [name, range] : summary.mix) {
    if (range.most - range.fewest <= 1) continue;
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", name, base::format_count(range.fewest),
                        base::format_count(range.most));
  }
  return text.empty() ? text : text + " samples a shard; --keep-mix or --remix evens this";
}

/// Why the shards are not equal; empty if they are.
std::string uneven_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const auto& least = summary.least_spread;
  if (least && least->spread <= deal::kEvenSpread && summary.is_held_back) {
    return fmt::format(
        "  the shards are not equal, because --rewrite-limit{} allowed too few of them to be written again; "
        "shardmill update {} --remix deals all samples again\n",
        options.rewrite_limit ? "" : " (10x, as it was not given)", options.folder);
  }
  return unevenness_text(summary.dataset, least, summary.shares);
}

std::string nothing_new_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  using manifest::RejectReason;
  const auto count = [&](RejectReason reason) {
    const auto found = summary.left_out.find(std::string(manifest::name(reason)));
    return found == summary.left_out.end() ? 0 : found->second;
  };
  std::string reasons;
  for (const auto& [reason, samples] : summary.left_out)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", base::format_count(samples), reason);
  const std::uint64_t changed = count(RejectReason::changed);
  const bool is_any_removed = count(RejectReason::removed) != 0;
  return fmt::format(
      "nothing was changed: {} has all samples of the sources already{}{}: {}\n", options.folder,
      changed == 0
          ? ""
          : fmt::format(", {} of them in another form (see rejects.jsonl)", base::format_count(changed)),
      is_any_removed ? ", or they stay out, as they or their speakers were removed" : "", reasons);
}

}  // namespace

namespace {

std::string_view name_of(UpdateSummary::Outcome outcome) {
  switch (outcome) {
    case UpdateSummary::Outcome::written:
      return "written";
    case UpdateSummary::Outcome::already_done:
      return "already_done";
    case UpdateSummary::Outcome::planned:
      return "planned";
    case UpdateSummary::Outcome::nothing_new:
      return "nothing_new";
  }
  return {};
}

std::string plan_as_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const auto& update = summary.update;
  std::string text = fmt::format("planned, nothing written to {}\n", options.folder);
  if (!options.sources.empty()) text += row("added", "about " + amount(update.added, update.added_seconds));
  if (update.removed != 0) text += row("removed", amount(update.removed, update.removed_seconds));
  const std::string about = options.sources.empty() ? "" : "about ";
  text += row("shards", about + changes_text(summary));
  text += row("samples", about + base::format_count(summary.dataset.samples));
  if (update.pending != 0)
    text += row("waiting", about + base::format_count(update.pending, "sample") + ", not in training");
  return text +
         row("bytes", fmt::format("about {} would be written", base::format_size(summary.written_bytes)));
}

}  // namespace

std::string bring_in_advice(const UpdateSummary& summary, const update::UpdateOptions& options) {
  // A new deal leaves as many over as it does now.
  if (summary.dataset.evened && summary.waiting < summary.dataset.shards) {
    return fmt::format("all {} hold the same number of samples, and {} are too few for each to get one more",
                       base::format_count(summary.dataset.shards, "shard"),
                       base::format_count(summary.waiting));
  }
  return fmt::format("shardmill update {} --remix deals them to the shards, and writes all of these again",
                     options.folder);
}

std::string update_as_text(const UpdateSummary& summary, const update::UpdateOptions& options) {
  const manifest::DatasetRecord& dataset = summary.dataset;
  if (summary.outcome == UpdateSummary::Outcome::already_done) {
    return waiting_text(summary, options) +
           fmt::format("{} is updated already: the last update was this one{}; {}, {}, {}\n", options.folder,
                       options.sources.empty()
                           ? ""
                           : ", its sources have not changed since, and nothing was read from them",
                       base::format_count(dataset.shards, "shard"),
                       base::format_count(dataset.samples, "sample"), base::format_audio(dataset.seconds));
  }
  if (summary.outcome == UpdateSummary::Outcome::nothing_new) return nothing_new_text(summary, options);
  if (summary.outcome == UpdateSummary::Outcome::planned) return plan_as_text(summary, options);
  std::string text = waiting_text(summary, options);
  text += fmt::format("{}/{}\n", options.folder, dataset.shard_files);
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
  text += uneven_text(summary, options);
  if (const std::string mix = mix_text(summary); !mix.empty()) text += row("mix", mix);
  if (const auto recipe = dataset::known_fields(dataset.options, {"plan-for"}); recipe && recipe->plan_for)
    text += row("steps", kept_plan_text(*recipe->plan_for, dataset));
  text += tables_as_text(summary.tables);
  text += row("bytes", fmt::format("{} written", base::format_size(summary.written_bytes)));
  text += row("time", base::format_elapsed(summary.seconds));
  if (!options.sources.empty())
    text += row("left out", summary.left_out.empty() ? "nothing" : left_out_text(summary.left_out));
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
  const bool is_planned = summary.outcome == UpdateSummary::Outcome::planned;
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("outcome", name_of(summary.outcome)).member("folder", options.folder);
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
