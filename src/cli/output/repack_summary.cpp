#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {

namespace {

using repack::RepackSummary;
using Outcome = RepackSummary::Outcome;

/// The audio of a dataset, and how much of it is taken.
std::string planned_text(const RepackSummary::PlannedDataset& dataset) {
  std::string text = "about " + base::format_audio(dataset.seconds);
  if (dataset.weight == 1) return text;
  return text + fmt::format(", taken {} times: {}", dataset.weight,
                            base::format_audio(dataset.seconds * dataset.weight));
}

/// What a plan did not look at, and what does.
std::string unseen_text(const RepackSummary& summary) {
  if (summary.shards_of_unknown_keys == 0) return {};
  return row("not looked at", fmt::format("keys of {} were not compared; shardmill inspect compares them",
                                          base::format_count(summary.shards_of_unknown_keys, "source file")));
}

std::string plan_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  std::string text = fmt::format("planned; nothing is written to {}\n", options.out_folder);
  text += row("input", base::format_size(summary.input_bytes));
  text += row("samples", "about " + base::format_count(summary.estimate.samples));
  text += row("audio", "about " + base::format_audio(static_cast<double>(summary.estimate.seconds)));
  for (const auto& dataset : summary.planned_datasets)
    text += row("  " + dataset.name, planned_text(dataset));
  text += row("output", fmt::format("about {} uncompressed", base::format_size(summary.estimate.bytes)));
  text +=
      row("disk space", fmt::format("about {} with scratch files", base::format_size(summary.needed_bytes)));
  text += row("shards", base::format_count(summary.planned_shards));
  text += shard_advice_as_text(summary, options);
  if (const auto& plan = options.recipe.plan_for)
    text += row("steps", plan_for_text(*plan, summary.estimate.samples) + " (estimated)");
  text += unseen_text(summary);
  return text + limits_as_text(summary, options);
}

/// What --take asked for, where something else came out: what a source holds is only estimated.
std::string taken_text(const RepackSummary& summary, const std::map<std::string, double>& takes) {
  constexpr double kNear = 0.1;  // of what was asked for
  std::string text;
  for (const auto& [name, wanted] : takes) {
    double seconds = 0;
    for (const auto& part : summary.dataset.datasets)
      if (name.empty() ? !takes.contains(part.dataset) : part.dataset == name) seconds += part.seconds;
    if (std::abs(seconds - wanted) <= kNear * wanted) continue;
    text += row(
        "taken",
        fmt::format(
            "{}{}, and {} were asked for: samples are drawn at random, and how much the sources hold may be "
            "an estimate; to come closer, ask for {}",
            name.empty() ? "" : name + ": ", base::format_audio(seconds), base::format_audio(wanted),
            seconds < wanted ? "more" : "less"));
  }
  return text;
}

/// What --even did.
std::string evened_text(const manifest::DatasetRecord::Evened& evened) {
  const auto amount = [](const manifest::DatasetRecord::Amount& of) {
    return fmt::format("{}, {}", base::format_count(of.samples, "sample"), base::format_audio(of.seconds));
  };
  if (evened.left_out.samples != 0)
    return "all shards hold the same number of samples; left out: " + amount(evened.left_out);
  if (evened.repeated.samples != 0)
    return "all shards hold the same number of samples; taken twice: " + amount(evened.repeated);
  return "all shards hold the same number of samples; none was left out or repeated";
}

std::string losses_text(const RepackSummary& summary) {
  std::string text = left_out_text(summary.counts.left_out);
  if (text.empty()) return "no samples";
  const repack::Losses& losses = summary.losses;
  if (losses.unknown_files != 0) {
    text += fmt::format("; lost to errors: {}an unknown number of samples from {}",
                        losses.samples == 0 ? "" : base::format_count(losses.samples, "sample") + " and ",
                        base::format_count(losses.unknown_files, "source file"));
  } else if (losses.samples != 0) {
    text += "; lost to errors: " + base::format_count(losses.samples, "sample");
  }
  return text;
}

std::string were_left_out(std::uint64_t samples) {
  return samples == 1 ? "1 sample was left out because of an error"
                      : base::format_count(samples) + " samples were left out because of errors";
}

/// "all samples", "16 of 29 samples".
std::string text_text(const manifest::DatasetRecord& dataset) {
  const std::uint64_t with_text = dataset.with_text;
  std::string text = with_text == dataset.samples ? "all samples"
                     : with_text == 0             ? "no sample"
                                                  : fmt::format("{} of {}", base::format_count(with_text),
                                                                base::format_count(dataset.samples, "sample"));
  if (dataset.texts_cleaned != 0) {
    text += fmt::format("; {} lost a byte order mark, CRs or outer blanks",
                        base::format_count(dataset.texts_cleaned));
  }
  return text;
}

/// ", 16 with transcripts"; empty if all samples have one.
std::string share_of_text(const manifest::DatasetRecord::Part& part) {
  if (part.with_text == part.samples) return "";
  return fmt::format(", {} with transcripts",
                     part.with_text == 0 ? "none" : base::format_count(part.with_text));
}

/// The corpus's own subsets, a line each.
std::string subsets_text(const manifest::DatasetRecord::Part& part) {
  constexpr std::size_t kMostNamed = 12;
  std::string text;
  std::size_t named = 0;
  for (const auto& [subset, amount] : part.subsets) {
    if (named++ == kMostNamed) break;
    text +=
        row("    " + printable(subset), fmt::format("{}, {}", base::format_count(amount.samples, "sample"),
                                                    base::format_audio(amount.seconds)));
  }
  if (part.subsets.size() > kMostNamed)
    text += row("    others", base::format_count(part.subsets.size() - kMostNamed, "subset"));
  return text;
}

std::string warning_text(const RepackSummary& summary) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", base::format_count(count), what);
  };
  for (const auto& [kind, count] : summary.counts.warnings) add(count, kind);
  return text;
}

std::string form_text(const manifest::DatasetRecord::AudioKind& kind) {
  return fmt::format("{}, {} Hz, {}: {}, {}", kind.format, kind.sample_rate,
                     base::format_count(kind.channels, "channel"), base::format_count(kind.samples, "sample"),
                     base::format_audio(kind.seconds));
}

/// A warning of several sample rates, channels or sample formats, because that breaks training.
std::string uniformity_warning(const manifest::DatasetRecord& dataset) {
  const auto differs = [&dataset](auto field) {
    return std::ranges::any_of(dataset.audio,
                               [&](const auto& kind) { return kind.*field != dataset.audio.front().*field; });
  };
  using AudioKind = manifest::DatasetRecord::AudioKind;
  if (is_uniform(dataset)) return "";
  return differs(&AudioKind::sample_rate) || differs(&AudioKind::channels)
             ? "  the audio has several sample rates or numbers of channels, which most trainers cannot "
               "handle\n"
             : "  the audio has several sample formats, which some loaders cannot handle\n";
}

std::uint64_t warnings_of(const RepackSummary& summary, const std::string& kind) {
  const auto found = summary.counts.warnings.find(kind);
  return found == summary.counts.warnings.end() ? 0 : found->second;
}

/// A transcript of two people's words is wrong for the channel of one of them, and the mean of a channel and
/// its opposite is silence.
std::string channels_text(const RepackSummary& summary) {
  std::string text;
  if (const std::uint64_t samples = warnings_of(summary, "text_of_all_channels"); samples != 0) {
    text +=
        row("channels",
            fmt::format("{} of one channel {} the transcript of the whole recording; rows for KEY_left and "
                        "KEY_right in a table of --metadata give each channel its own",
                        base::format_count(samples, "sample"), samples == 1 ? "has" : "have"));
  }
  if (const std::uint64_t samples = warnings_of(summary, "channels_cancel"); samples != 0) {
    text +=
        row("channels",
            fmt::format("in {}, the channels cancel each other, and hardly any sound is left in their mean; "
                        "--channels left takes one of them",
                        base::format_count(samples, "sample")));
  }
  return text;
}

/// A duration in a table may be meant as a fact about the file.
std::string durations_text(const RepackSummary& summary) {
  const std::uint64_t samples = warnings_of(summary, "cut_to_duration");
  if (samples == 0) return {};
  return row("durations",
             fmt::format("{} {} only the beginning of {}, as long as the source says; if all of it is meant, "
                         "rename that column",
                         base::format_count(samples, "sample"), samples == 1 ? "is" : "are",
                         samples == 1 ? "its file" : "their files"));
}

/// What a set that was made without saying so might still want.
std::string next_time_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  constexpr double kWorthSplitting = 3600;
  std::string text;
  if (const std::string form = options_for_one_form(summary.dataset.audio); !form.empty())
    text += row("one form", form + " would bring all audio to it");
  if (!options.is_of_split && summary.dataset.seconds >= kWorthSplitting)
    text += row("splits",
                "all of this is for training; --split dev=10m,test=10m would set audio aside, by speaker");
  return text;
}

std::string reencoded_text(const manifest::DatasetRecord::Reencoded& reencoded) {
  std::string text = base::format_count(reencoded.samples, "sample");
  if (reencoded.clipped_values == 0) return text;
  return text + fmt::format(", {} of them clipped in {}", base::format_count(reencoded.clipped_samples),
                            base::format_count(reencoded.clipped_values, "value"));
}

std::string written_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  const manifest::DatasetRecord& dataset = summary.dataset;
  std::string text = fmt::format("{}/{}\n", options.out_folder, dataset.shard_files);
  text += row("shards", base::format_count(dataset.shards));
  text += row("samples", base::format_count(dataset.samples));
  text += row("audio", base::format_audio(dataset.seconds));
  for (const auto& part : dataset.datasets) {
    text += row("  " + part.dataset, fmt::format("{}, {}{}", base::format_count(part.samples, "sample"),
                                                 base::format_audio(part.seconds), share_of_text(part)));
    text += subsets_text(part);
  }
  text += taken_text(summary, options.recipe.takes);
  text += row("transcripts", text_text(dataset));
  text += channels_text(summary);
  text += durations_text(summary);
  text += tables_as_text(summary.tables);
  for (const auto& kind : dataset.audio) text += row("format", form_text(kind));
  text += uniformity_warning(dataset);
  if (dataset.reencoded.samples != 0) text += row("converted", reencoded_text(dataset.reencoded));
  text += row("balance", spread_text(dataset.balance));
  if (dataset.evened) text += row("even", evened_text(*dataset.evened));
  if (const auto& plan = options.recipe.plan_for) text += row("steps", kept_plan_text(*plan, dataset));
  text += unevenness_text(summary.dataset, summary.least_spread, repack::Shares::alike);
  text += row("size", fmt::format("{} read, {} written", base::format_size(summary.input_bytes),
                                  base::format_size(dataset.bytes)));
  text +=
      row("time", fmt::format("{} ({} read, {} times real time){}", base::format_elapsed(summary.seconds),
                              base::format_rate(static_cast<double>(summary.input_bytes) / summary.seconds),
                              base::format_speed(dataset.seconds / summary.seconds),
                              summary.resumed ? ", after an earlier run stopped" : ""));
  text += row("left out", losses_text(summary));
  text += doubt_as_text(dataset);
  if (const std::string warnings = warning_text(summary); !warnings.empty())
    text += row("warnings", warnings);
  text += next_time_text(summary, options);
  text += shard_advice_as_text(summary, options);
  return text + limits_as_text(summary, options);
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::planned:
      return "planned";
    case Outcome::written:
      return "written";
    case Outcome::already_there:
      break;
  }
  return "already_there";
}

void write_counts(base::JsonWriter& json, std::string_view name,
                  const std::map<std::string, std::uint64_t>& counts) {
  json.key(name).begin_object();
  for (const auto& [what, count] : counts) json.member(what, count);
  json.end_object();
}

}  // namespace

std::string summary_as_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  switch (summary.outcome) {
    case Outcome::planned:
      return plan_text(summary, options);
    case Outcome::written:
      return written_text(summary, options);
    case Outcome::already_there:
      break;
  }
  // A step of a run in parts names no sources, and makes nothing again.
  return fmt::format("{} is finished already: {}, {}, {}, transcripts for {}; left out: {}{}\n",
                     options.out_folder, base::format_count(summary.dataset.shards, "shard"),
                     base::format_count(summary.dataset.samples, "sample"),
                     base::format_audio(summary.dataset.seconds), text_text(summary.dataset),
                     losses_text(summary), options.sources.empty() ? "" : "; --force makes it again");
}

int verdict(const RepackSummary& summary, const repack::RepackOptions& options, base::Reporter& reporter) {
  if (!summary.too_many_rejects) return kExitDone;
  const repack::Losses& losses = summary.losses;
  if (losses.unknown_files == 0) {
    reporter.fail(Error(fmt::format("{}, more than --max-rejects {} allows", were_left_out(losses.samples),
                                    summary.max_rejects),
                        at(options.out_folder), "rejects.jsonl lists them; all other samples are written"));
  } else {
    reporter.fail(Error(
        fmt::format("{}{} could not be read to the end: the number of lost samples is unknown and may be "
                    "more than --max-rejects {} allows",
                    losses.samples == 0 ? "" : were_left_out(losses.samples) + ", and ",
                    base::format_count(losses.unknown_files, "source file"), summary.max_rejects),
        at(options.out_folder),
        "rejects.jsonl lists them; all other samples are written; --max-rejects all accepts any loss"));
  }
  return kExitTooManyRejects;
}

std::string summary_as_json(const RepackSummary& summary, const repack::RepackOptions& options) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("outcome", outcome_name(summary.outcome)).member("out", options.out_folder);
  json.member("input_bytes", summary.input_bytes).member("seconds", summary.seconds);
  if (summary.outcome == Outcome::planned) {
    json.member("shards", summary.planned_shards).member("estimated_samples", summary.estimate.samples);
    json.member("estimated_audio_seconds", summary.estimate.seconds);
    json.member("estimated_bytes", summary.estimate.bytes);
    json.member("needed_bytes", summary.needed_bytes);
    json.member("files_of_unknown_keys", summary.shards_of_unknown_keys).key("datasets").begin_array();
    for (const auto& dataset : summary.planned_datasets) {
      json.begin_object().member("dataset", dataset.name).member("estimated_audio_seconds", dataset.seconds);
      json.member("weight", dataset.weight).end_object();
    }
    json.end_array();
    write_shard_advice(json, summary, options);
    write_limits(json, summary, options);
    json.end_object();
    return text;
  }
  const manifest::DatasetRecord& dataset = summary.dataset;
  json.member("shards", dataset.shards).member("samples", dataset.samples);
  json.member("with_text", dataset.with_text).member("texts_cleaned", dataset.texts_cleaned);
  json.member("audio_seconds", dataset.seconds).member("bytes", dataset.bytes);
  json.member("spread_seconds", dataset.balance.max_seconds - dataset.balance.min_seconds);
  json.member("spread_samples", dataset.balance.max_samples - dataset.balance.min_samples);
  json.member("even", is_even(dataset.balance));
  if (summary.least_spread)
    json.member("least_spread_seconds", std::chrono::duration<double>(summary.least_spread->spread).count());
  json.member("uniform", is_uniform(dataset)).key("audio").begin_array();
  for (const auto& kind : dataset.audio) {
    json.begin_object().member("format", kind.format).member("sample_rate", kind.sample_rate);
    json.member("channels", kind.channels).member("samples", kind.samples).member("seconds", kind.seconds);
    json.end_object();
  }
  json.end_array().key("datasets").begin_array();
  for (const auto& part : dataset.datasets) {
    json.begin_object().member("dataset", part.dataset).member("samples", part.samples);
    json.member("audio_seconds", part.seconds).key("subsets").begin_object();
    for (const auto& [subset, amount] : part.subsets) {
      json.key(subset).begin_object().member("samples", amount.samples);
      json.member("audio_seconds", amount.seconds).end_object();
    }
    json.end_object().end_object();
  }
  json.end_array().member("reencoded", dataset.reencoded.samples);
  json.member("clipped_samples", dataset.reencoded.clipped_samples);
  json.member("clipped_values", dataset.reencoded.clipped_values);
  if (dataset.evened) {
    json.key("evened").begin_object().member("left_out", dataset.evened->left_out.samples);
    json.member("left_out_seconds", dataset.evened->left_out.seconds);
    json.member("repeated", dataset.evened->repeated.samples);
    json.member("repeated_seconds", dataset.evened->repeated.seconds).end_object();
  }
  json.member("resumed", summary.resumed);
  write_counts(json, "left_out", summary.counts.left_out);
  json.member("lost_samples", summary.losses.samples);
  json.member("files_of_unknown_loss", summary.losses.unknown_files);
  json.member("doubtful_samples", doubtful_samples(dataset));
  write_counts(json, "warnings", summary.counts.warnings);
  write_tables(json, summary.tables);
  write_shard_advice(json, summary, options);
  write_limits(json, summary, options);
  json.end_object();
  return text;
}

}  // namespace shardmill::cli
