#include "cli/output/shared_lines.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "dataset/loader_limits.hpp"
#include "manifest/reject.hpp"

namespace shardmill::cli {

std::string spread_text(const manifest::DatasetRecord::Balance& balance) {
  const double spread = balance.max_seconds - balance.min_seconds;
  const std::string audio =
      spread < 1 ? fmt::format("{:.3f} ms", 1e3 * spread) : fmt::format("{:.1f} s", spread);
  return fmt::format("shards differ by at most {} of audio and {}", audio,
                     base::format_count(balance.max_samples - balance.min_samples, "sample"));
}

namespace {

std::string length_text(deal::Duration duration) {
  const auto seconds = std::chrono::duration<double>(duration).count();
  return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds);
}

/// Why no deal could make the shards equal.
std::string reason_text(const deal::LeastSpread& least, std::uint64_t shards) {
  using Reason = deal::LeastSpread::Reason;
  if (least.reason == Reason::steps) {
    return fmt::format("all lengths are multiples of {}, and their sum is not divisible by {} in such steps",
                       length_text(least.length), base::format_count(shards, "shard"));
  }
  if (least.reason == Reason::few_long) {
    return fmt::format("only {} {} {} or longer, so one of {} gets {}",
                       base::format_count(least.samples, "sample"), least.samples == 1 ? "lasts" : "last",
                       length_text(least.length), base::format_count(shards, "shard"),
                       least.together == 0 ? "none" : fmt::format("only {}", least.together));
  }
  if (least.together > 1) {
    return fmt::format("{} last {} or longer, so one of {} gets {} of them",
                       base::format_count(least.samples, "sample"), length_text(least.length),
                       base::format_count(shards, "shard"), least.together);
  }
  if (least.length <= least.share) return fmt::format("one sample lasts {}", length_text(least.length));
  return fmt::format("one sample lasts {}, longer than a shard's share of {}", length_text(least.length),
                     length_text(least.share));
}

}  // namespace

std::string unevenness_text(const manifest::DatasetRecord& dataset,
                            const std::optional<deal::LeastSpread>& least_spread, repack::Shares shares) {
  if (!least_spread) return is_even(dataset.balance) ? "" : "  the shards are not equal\n";
  const deal::LeastSpread& least = *least_spread;
  if (least.spread <= deal::kEvenSpread) {
    return fmt::format("  the shards are not equal: no better deal of {} to {} was found\n",
                       base::format_count(dataset.samples, "sample"),
                       base::format_count(dataset.shards, "shard"));
  }
  const std::string_view mix = shares == repack::Shares::alike && dataset.datasets.size() > 1
                                   ? " while each holds its share of every dataset"
                                   : "";
  return fmt::format("  the shards are not equal, and must differ by {} at least{}: {}\n",
                     length_text(least.spread), mix, reason_text(least, dataset.shards));
}

std::string left_out_text(const std::map<std::string, std::uint64_t>& left_out) {
  std::string text;
  bool is_any_listed = false;
  for (const auto& [reason, count] : left_out) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::format_count(count), reason);
    is_any_listed = is_any_listed || manifest::reject_reason(reason);
  }
  return text + (is_any_listed ? " (see rejects.jsonl)" : "");
}

std::string doubt_as_text(const manifest::DatasetRecord& dataset) {
  if (dataset.doubtful.empty()) return "";
  return row("in doubt",
             fmt::format("{} may be wrong, because {} damaged after them (see dataset.json)",
                         base::format_count(doubtful_samples(dataset), "sample"),
                         dataset.doubtful.size() == 1
                             ? "a compressed stream is"
                             : base::format_count(dataset.doubtful.size(), "compressed stream") + " are"));
}

std::string plan_for_text(const deal::PlanFor& plan, std::uint64_t samples) {
  const std::string who = plan.ranks == 1 ? "one rank" : fmt::format("each of {} ranks", plan.ranks);
  const std::uint64_t of_worker = plan.samples_of_worker(samples);
  const std::string full = of_worker >= plan.batch_samples
                               ? ""
                               : fmt::format("; no batch is full: each worker reads only {}",
                                             base::format_count(of_worker, "sample"));
  return fmt::format("{}: batches of {} take {} on {}, in every epoch{}", name(plan.loader),
                     base::format_count(plan.batch_samples, "sample"),
                     base::format_count(plan.steps(samples), "step"), who, full);
}

std::string kept_plan_text(const deal::PlanFor& plan, const manifest::DatasetRecord& dataset) {
  if (dataset.balance.min_samples != dataset.balance.max_samples)
    return "not the same on all ranks: the shards do not hold the same number of samples";
  if (dataset.shards % plan.multiple_of() != 0)
    return fmt::format("not the same on all ranks: {} are not a multiple of {}, for {} with {} each",
                       base::format_count(dataset.shards, "shard"), plan.multiple_of(),
                       base::format_count(plan.ranks, "rank"), base::format_count(plan.workers, "worker"));
  return plan_for_text(plan, dataset.samples);
}

namespace {

std::string named(const std::vector<std::string>& names, std::uint64_t count) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{} {}", text.empty() ? ":" : ",", printable(name));
  return text + (count > names.size() ? ", ..." : "");
}

std::string table_text(const repack::TableMatch& table) {
  std::string text = row(
      "metadata", fmt::format("{}: {}, for {}", printable(table.path), base::format_count(table.rows, "row"),
                              base::format_count(table.matched_samples, "sample")));
  if (table.is_exact && table.rows_without_sample != 0)
    text += row("", base::format_count(table.rows_without_sample, "row") + " without a sample" +
                        named(table.first_rows, table.rows_without_sample));
  if (table.samples_without_row != 0)
    text += row("", base::format_count(table.samples_without_row, "sample") + " without a row" +
                        named(table.first_samples, table.samples_without_row));
  return text;
}

}  // namespace

std::string tables_as_text(const std::vector<repack::TableMatch>& tables) {
  std::string text;
  for (const repack::TableMatch& table : tables) text += table_text(table);
  return text;
}

void write_tables(base::JsonWriter& json, const std::vector<repack::TableMatch>& tables) {
  if (tables.empty()) return;
  json.key("metadata").begin_array();
  for (const repack::TableMatch& table : tables) {
    json.begin_object().member("path", table.path).member("rows", table.rows);
    json.member("samples", table.matched_samples).member("samples_without_row", table.samples_without_row);
    if (table.is_exact) json.member("rows_without_sample", table.rows_without_sample);
    json.end_object();
  }
  json.end_array();
}

using repack::RepackSummary;

namespace {

std::vector<dataset::LoaderLimit> limits_of(const RepackSummary& summary,
                                            const repack::RepackOptions& options) {
  dataset::ShardForm form{.codec = options.recipe.codec,
                          .prefix = options.recipe.prefix,
                          .has_text_members = options.recipe.intake.text != pipeline::TextPlace::manifest,
                          .containers = summary.planned_extensions};
  for (const auto& kind : summary.dataset.audio)
    form.containers.insert(kind.format.substr(0, kind.format.find('/')));
  return loader_limits(form);
}

/// The option that makes shards which the loader can read.
std::string_view option_against(const dataset::LoaderLimit& limit) {
  if (limit.id == "codec") return "--codec none";
  if (limit.id == "prefix") return "--prefix audio";
  if (limit.id == "mixed_containers" || limit.id == "foreign_audio") return "--audio flac";
  return "--text manifest";
}

}  // namespace

std::string limits_as_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  std::string text;
  for (const dataset::LoaderLimit& limit : limits_of(summary, options))
    text += row("loaders",
                fmt::format("{} is needed for {}: {}", option_against(limit), limit.loader, limit.text));
  return text;
}

void write_limits(base::JsonWriter& json, const RepackSummary& summary,
                  const repack::RepackOptions& options) {
  json.key("not_for").begin_array();
  for (const dataset::LoaderLimit& limit : limits_of(summary, options)) {
    json.begin_object().member("id", limit.id).member("loader", limit.loader);
    json.member("text", limit.text).member("advice", option_against(limit)).end_object();
  }
  json.end_array();
}

}  // namespace shardmill::cli
